/** The GRAND thesis' application in XML (F.3.2): a manifest that names JSDL tasks, edges and clusters, together in a zip. */
import type { Format } from "@/core/languages/format";
import { parseGrand } from "./parse";
import { printGrand } from "./print";

export { parseGrand } from "./parse";
export { printGrand } from "./print";

export const grand: Format = {
  name: "grand",
  title: "GRAND (JSDL with edges and clusters)",
  ending: ".manifest.xml",
  detect: (text) => /<(?:[\w-]+:)?Manifest\b/.test(text.slice(0, 20_000)),
  parse: parseGrand,
  print: printGrand,
};
