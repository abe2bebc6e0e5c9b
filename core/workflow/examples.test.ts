/** The samples are sound; each bad example is found out, at a place. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkWorkflow } from "./check";

const examples = new URL("../../examples/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, examples), "utf8");

describe("samples", () => {
  it.each([
    ["diamond", 4, 4],
    ["plot", 6, 5],
    ["pi", 201, 200],
  ])("%s has no problems with the files beside it", (name, tasks, edges) => {
    const provided = new Set(readdirSync(new URL(`${name}/`, examples)));
    const { workflow, problems } = checkWorkflow(read(`${name}/${name}.gadl`), `${name}.gadl`, provided);
    expect(problems).toEqual([]);
    expect(workflow).toMatchObject({ taskCount: tasks, class: "phases", hint: "loosely-coupled" });
    expect(workflow?.successors.targets).toHaveLength(edges);
  });
});

describe("bad examples", () => {
  it.each(readdirSync(new URL("bad/", examples)))("%s is found out", (file) => {
    const errors = checkWorkflow(read(`bad/${file}`), file, new Set(["data.in", "data.txt"])).problems.filter(
      ({ severity }) => severity === "error",
    );
    expect(errors.length).toBeGreaterThan(0);
    for (const { at, message } of errors) {
      expect(at?.line).toBeGreaterThan(0);
      expect(message).toMatch(/[.?]$/);
    }
  });
});
