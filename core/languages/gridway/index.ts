/** GridWay job templates, `KEY = value`: the first GridWay's (Figure 5 of its paper) and its releases'. */
import type { Format } from "@/core/languages/format";
import { parseGridway } from "./parse";

export { parseGridway } from "./parse";

export const gridway: Format = {
  name: "gridway",
  title: "GridWay job template",
  ending: ".jt",
  // GRID-ADL has assignments too, but then it has tasks.
  detect: (text, fileName) => {
    const start = text.slice(0, 100_000);
    if (/^[ \t]*(?:task|foreach)\b/m.test(start)) return false;
    return /^[ \t]*EXECUTABLE(?:_FILE)?[ \t]*=/m.test(start) || /\.(?:jt|gwjt)$/i.test(fileName ?? "");
  },
  parse: parseGridway,
};
