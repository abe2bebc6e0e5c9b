/** WfFormat, the JSON in which WfCommons keeps workflows and recordings of their runs; versions 1.5 and 1.6. */
import type { Format } from "@/core/languages/format";
import { parseWfFormat } from "./parse";
import { printWfFormat } from "./print";

export { parseWfFormat } from "./parse";
export { printWfFormat, type WfFormatVersion } from "./print";

export const wfformat: Format = {
  name: "wfformat",
  title: "WfFormat",
  ending: ".json",
  // No other format is a JSON object; what is one is read here, and its errors tell what was expected.
  detect: (text) => /^\uFEFF?\s*\{\s*(?:"|\}|$)/.test(text.slice(0, 10_000)),
  parse: (text) => parseWfFormat(text),
  print: (application) => printWfFormat(application),
};
