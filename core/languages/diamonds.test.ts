/** Table C.1 of the GRAND thesis: the diamond in seven languages, as the figures print it, is one graph. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { buildWorkflow } from "@/core/workflow/build";
import { parseWorkflow } from ".";

const examples = new URL("../../examples/", import.meta.url);
const read = (path: string): string | undefined => {
  const file = new URL(path, examples);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
};

const diamonds = [
  ["gridadl", "figures/f8-diamond.gadl", []],
  ["dagman", "dagman/thesis/first_example.dag", undefined],
  ["vdl", "diamonds/diamond.vdl", ["vdl/unknown-parameter"]],
  [
    "gxml",
    "diamonds/diamond.gxml",
    [
      "gxml/left-out",
      "gxml/no-program",
      "gxml/no-program",
      "gxml/no-program",
      "gxml/no-program",
      "gxml/bare-ampersand",
    ],
  ],
  ["agwl", "diamonds/diamond.agwl", ["agwl/no-program", "agwl/left-out"]],
  [
    "xpwsl",
    "diamonds/diamond.xpwsl",
    [
      "xpwsl/not-kept",
      "xpwsl/not-kept",
      "xpwsl/missing-slash",
      "xpwsl/files-not-brought",
      "xpwsl/missing-slash",
      "xpwsl/missing-slash",
      "xpwsl/missing-slash",
    ],
  ],
  ["gel", "diamonds/diamond.gel", []],
] as const;

it.each(diamonds)("%s", (format, path, warnings) => {
  const folder = path.slice(0, path.lastIndexOf("/"));
  const parsed = parseWorkflow(read(path) ?? "", "x.txt", (name) => read(`${folder}/${name}`));
  expect(parsed.format).toBe(format);
  expect(parsed.problems.filter(({ severity }) => severity === "error")).toEqual([]);
  if (warnings) expect(parsed.problems.map(({ code }) => code)).toEqual(warnings);
  const { workflow } = buildWorkflow(parsed.application);
  expect(workflow.taskCount).toBe(4);
  // The figures name the four in the same order: A, B and C, D.
  expect([...workflow.successors.offsets]).toEqual([0, 2, 3, 4, 4]);
  expect([...workflow.successors.targets]).toEqual([1, 2, 3, 3]);
});
