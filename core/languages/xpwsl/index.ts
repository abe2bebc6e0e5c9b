/** XPWSL, the JoiN platform's XML-based Parallel Workflow Specification Language (thesis, Figure C.8). */
import type { Format } from "@/core/languages/format";
import { parseXpwsl } from "./parse";

export { parseXpwsl } from "./parse";

export const xpwsl: Format = {
  name: "xpwsl",
  title: "XPWSL",
  ending: ".xpwsl",
  detect: (text) => /<assignment\b/i.test(text.slice(0, 1_000_000)) && /<datalink\b/i.test(text),
  parse: (text) => parseXpwsl(text),
};
