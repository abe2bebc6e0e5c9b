/** AGWL, ASKALON's Abstract Grid Workflow Language, as far as the thesis shows it (Figure C.7). */
import type { Format } from "@/core/languages/format";
import { parseAgwl } from "./parse";

export { parseAgwl } from "./parse";

export const agwl: Format = {
  name: "agwl",
  title: "AGWL",
  ending: ".agwl",
  detect: (text) => /<(?:[\w-]+:)?agwl-workflow\b/i.test(text.slice(0, 20_000)),
  parse: (text) => parseAgwl(text),
};
