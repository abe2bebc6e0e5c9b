/** VDL, Chimera's Virtual Data Language: transformations (programs) and derivations (their runs) (Figure C.5). */
import type { Format } from "@/core/languages/format";
import { parseVdl } from "./parse";

export { parseVdl } from "./parse";

export const vdl: Format = {
  name: "vdl",
  title: "VDL",
  ending: ".vdl",
  detect: (text, fileName) =>
    /^[ \t]*(?:TR|DV)[ \t]+[\w:.-]+(?:[ \t]*->[ \t]*[\w:.-]+)?\s*[({]/m.test(text.slice(0, 100_000)) ||
    /\.vdl$/i.test(fileName ?? ""),
  parse: (text) => parseVdl(text),
};
