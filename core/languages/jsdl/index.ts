/** JSDL, the Job Submission Description Language of the Global Grid Forum, and the GRAND thesis' extension of it. */
import type { Format } from "@/core/languages/format";
import { parseJsdl } from "./parse";
import { printJsdl } from "./print";

export { parseJsdl } from "./parse";
export { printJsdl } from "./print";

export const jsdl: Format = {
  name: "jsdl",
  title: "JSDL",
  ending: ".jsdl",
  // The last of the XML formats: what none of the others knows is answered here.
  detect: (text, fileName) => /^\uFEFF?\s*<[?!A-Za-z]/.test(text.slice(0, 10_000)) || /\.jsdl$/i.test(fileName ?? ""),
  parse: (text) => parseJsdl(text),
  print: printJsdl,
};
