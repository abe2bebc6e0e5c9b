/** GEL, the Grid Execution Language: tasks defined by name, and a line that says how they follow each other (Figure C.9). */
import type { Format } from "@/core/languages/format";
import { parseGel } from "./parse";

export { parseGel } from "./parse";

export const gel: Format = {
  name: "gel",
  title: "GEL",
  ending: ".gel",
  detect: (text, fileName) =>
    /^[ \t]*\w+[ \t]*(?::=|=)[ \t\n]*\{\s*(?:exec|dir|args)\b/m.test(text.slice(0, 100_000)) ||
    /\.gel$/i.test(fileName ?? ""),
  parse: (text) => parseGel(text),
};
