/** GXML, the GANGA framework's description of jobs and what they wait for (thesis, Figure C.6). */
import type { Format } from "@/core/languages/format";
import { parseGxml } from "./parse";

export { parseGxml } from "./parse";

export const gxml: Format = {
  name: "gxml",
  title: "GXML",
  ending: ".gxml",
  detect: (text) => /<(?:[\w-]+:)?Workflow\b[^>]*>/.test(text.slice(0, 20_000)) && /<(?:[\w-]+:)?Job\b/.test(text),
  parse: (text) => parseGxml(text),
};
