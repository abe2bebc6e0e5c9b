/** What the fuzz tests of the thesis' other languages start from: their examples, and words that mean something in them. */
import { readFileSync } from "node:fs";
import type { Fuzzed } from "@/core/fuzz-for-tests";
import { buildWorkflow } from "@/core/workflow/build";
import { agwl } from "./agwl";
import type { Format } from "./format";
import { gel } from "./gel";
import { grand } from "./grand";
import { gxml } from "./gxml";
import { jsdl } from "./jsdl";
import { vdl } from "./vdl";
import { examples } from "./written-again-for-tests";
import { xpwsl } from "./xpwsl";

const file = (path: string): string => readFileSync(new URL(path, examples), "utf8");

const xml = [
  "<",
  ">",
  "/>",
  "</",
  "&",
  "&amp;",
  "&#0;",
  "&#x41;",
  '="',
  '"',
  "'",
  "<!--",
  "-->",
  "<![CDATA[",
  "]]>",
  "<?",
  "?>",
  "<!DOCTYPE",
  "\0",
  "é",
  "\n",
];
const signs = [
  "{",
  "}",
  "(",
  ")",
  "[",
  "]",
  ";",
  "|",
  ",",
  "=",
  "->",
  "${",
  "@{",
  '"',
  "\\",
  "#",
  "/*",
  "*/",
  "\0",
  "é",
  "\n",
  " ",
];

function fuzzed({ name, parse }: Format, text: string, fragments: string[], beside?: string): Fuzzed {
  return {
    name,
    texts: [text],
    fragments,
    read(mutated, other) {
      const { application, problems } = parse(mutated, { readFile: () => beside ?? other });
      buildWorkflow(application);
      return problems;
    },
  };
}

/** A mutated file beside a sound manifest: every problem is at the manifest's line. */
function besideManifest(name: string): Fuzzed {
  const manifest = file("grand/manifest.xml");
  return {
    name: `grand's ${name}`,
    texts: [file(`grand/${name}`)],
    fragments: [...xml, "<JobID>1</JobID>", "sourceJobID", "<JobDescription>", "</jsdl:JobDescription>", "weight"],
    read(mutated) {
      const { application, problems } = grand.parse(manifest, {
        readFile: (path) => (path === name ? mutated : file(`grand/${path}`)),
      });
      buildWorkflow(application);
      return problems
        .filter(({ inFile }) => inFile?.name === name)
        .map(({ inFile, ...problem }) => ({ ...problem, at: inFile!.at }));
    },
  };
}

export const otherFormats: readonly Fuzzed[] = [
  fuzzed(
    grand,
    file("grand/manifest.xml"),
    [...xml, "FileEntry", 'type="tasks"', 'path="tasks.xml"'],
    file("grand/tasks.xml"),
  ),
  ...["tasks.xml", "edges.xml", "clusters.xml"].map(besideManifest),
  fuzzed(jsdl, file("grand/tasks.xml"), [
    ...xml,
    "<JobDescription>",
    "<Resources>",
    "<Exact>4</Exact>",
    "JobName",
    "DataStaging",
  ]),
  fuzzed(gxml, file("diamonds/diamond.gxml"), [...xml, "Job", "Depend", 'success="A"', "B | C"]),
  fuzzed(agwl, file("diamonds/diamond.agwl"), [...xml, "activity", "<body>", "dataIn", 'name="A.out"', "..."]),
  fuzzed(xpwsl, file("diamonds/diamond.xpwsl"), [...xml, "<task_id>", "T0", "<multi>", "1000000", "<block>", "input"]),
  fuzzed(gel, file("diamonds/diamond.gel"), [...signs, "taskA", "exec", "args", "pfor", "taskA;taskB|"]),
  fuzzed(vdl, file("diamonds/diamond.vdl"), [
    ...signs,
    "TR",
    "DV",
    "input",
    "output",
    "arg",
    "app",
    "@{input:f}",
    "${a}",
    "calculate",
  ]),
];
