import { describe, expect, it } from "vitest";
import { parseGridAdl } from "@/core/languages/gridadl";
import { buildWorkflow } from "./build";
import { extendApplication, extendWorkflow } from "./extend";

const read = (text: string) => parseGridAdl(text).application;
const base = read(`foreach i in 1..3 {
  task a\${i} -e x -i given -o a\${i}.out
  task b\${i} -e x -i a\${i}.out -o b\${i}.out
}
task reads -e x -i later.txt`);
const extend = (text: string) => extendWorkflow(base, buildWorkflow(base).workflow, read(text));

describe("adding tasks to a run", () => {
  it("keeps the numbers of those there were, and draws edges from them", () => {
    const found = extend(`foreach j in 1..2 {
  task c\${j} -e x -i b\${j}.out -o c\${j}.out
  task d\${j} -e x -i c\${j}.out given
}`);
    if (found.is !== "extended") throw new Error(found.problem);
    const { workflow } = found;
    expect(Array.from({ length: workflow.taskCount }, (_, task) => workflow.name(task)).join(" ")).toBe(
      "a1 b1 a2 b2 a3 b3 reads c1 d1 c2 d2",
    );
    const { offsets, targets } = workflow.predecessors;
    expect([...targets.subarray(offsets[9], offsets[10])]).toEqual([3]);
  });

  it("gives the tasks the addition's own requirement", () => {
    const { groups } = extendApplication(base, read(`requirement = (Memory > 5)\ntask e -e x -r "Cpus > 1"`));
    expect(groups.at(-1)?.task.requirement?.text).toBe("(Memory > 5) && (Cpus > 1)");
    expect(groups[0]?.task.requirement).toBeUndefined();
  });

  it.each([
    ["task e -e x -o b1.out", /Two tasks write "b1.out"/],
    ["task a1 -e x", /Two tasks are called "a1"/],
    ["task e -e x -i nobody", /"nobody", which nobody provides or writes/],
    ["task e -e x -o later.txt", /Task "reads" would have to wait/],
    ["task e -e x -i f -o g\ntask f -e x -i g -o f", /circle/],
  ])("refuses %s", (text, problem) => {
    const found = extend(text);
    expect(found.is === "refused" && found.problem).toMatch(problem);
  });
});
