/** What the fuzz tests of WfFormat start from. */
import { readFileSync } from "node:fs";
import type { Fuzzed } from "@/core/fuzz-for-tests";
import { buildWorkflow } from "@/core/workflow/build";
import { parseWfFormat } from ".";

const folder = new URL("../../../examples/wfformat/", import.meta.url);
const pretty = ["words.json", "structure.json"].map((file) => readFileSync(new URL(file, folder), "utf8"));

export const texts = [...pretty, ...pretty.map((text) => JSON.stringify(JSON.parse(text)))];

export const fragments = [
  ...["{", "}", "[", "]", '"', ",", ":", "\\", "null", "true", "1e999", "-1", "0.5", "\n", "\0", "é", "😀", "\\u0000"],
  ...[
    '"id":',
    '"parents":[',
    '"children":["split"],',
    '"__proto__":{',
    '"constructor":1,',
    '"tasks":[',
    '"files":[{',
    '"split"',
  ],
];

export const instances: Fuzzed = {
  name: "instances",
  texts,
  fragments,
  read(text) {
    const { application, problems } = parseWfFormat(text);
    buildWorkflow(application);
    return problems;
  },
};
