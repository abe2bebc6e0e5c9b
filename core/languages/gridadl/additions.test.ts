/** What Gridloom adds to a task: conditions, joins, needs, tasks handed in. Read, checked, and written again. */
import { describe, expect, it } from "vitest";
import { buildWorkflow } from "@/core/workflow/build";
import { parseGridAdl, printGridadl } from ".";

const text = `foreach i in 1..3 {
  task check\${i} -e ./check -a "\${i}" -o c\${i}.out
  task good\${i} -e ./good -i c\${i}.out -o g\${i}.out -w check\${i}=0
  task bad\${i} -e ./bad -o b\${i}.out -w "check\${i}=3,10-20"
  task join\${i} -e "cat *.out > j\${i}" -i g\${i}.out b\${i}.out -o j\${i} -j
}
task big -e ./big -q cores=4 memory=2GB time=1:30:00 disk=10GB gpus=2 matlab=1 processes=16 -q software=blast module=gcc/12
task more -e ./plan -o next.gadl -s next.gadl
`;

const parsed = (source: string) => {
  const { application, problems } = parseGridAdl(source);
  return { application, problems: problems.map(({ code, message }) => `${code}: ${message}`) };
};

describe("what Gridloom adds to a task", () => {
  it("draws edges for conditions, and knows which exit codes are answers", () => {
    const { application, problems } = parsed(text);
    expect(problems).toEqual([]);
    const { workflow, problems: wrong } = buildWorkflow(application);
    expect(wrong.filter(({ severity }) => severity === "error")).toEqual([]);
    // check2, good2, bad2, join2 are 4 to 7: the loop stays folded and takes turns.
    expect(workflow.name(6)).toBe("bad2");
    expect(workflow.conditionsOf(6)).toEqual([
      {
        before: 4,
        exits: [
          [3, 3],
          [10, 20],
        ],
      },
    ]);
    expect(workflow.answersOf(4)).toEqual([
      [0, 0],
      [3, 3],
      [10, 20],
    ]);
    const { offsets, targets } = workflow.predecessors;
    expect([...targets.subarray(offsets[6], offsets[7])]).toEqual([4]);
    expect(workflow.template(7).join).toBe(true);
  });

  it("reads resources and software", () => {
    const { application } = parsed(text);
    const big = application.groups.find(({ task }) => task.resources)?.task;
    expect(big?.resources).toEqual({
      cores: 4,
      memoryBytes: 2 * 1024 ** 3,
      wallSeconds: 5400,
      diskBytes: 10 * 1024 ** 3,
      gpus: 2,
      processes: 16,
      named: { matlab: 1 },
    });
    expect(big?.software).toEqual([
      { is: "installed", name: "blast" },
      { is: "module", name: "gcc/12" },
    ]);
  });

  it("is written again as the same", () => {
    const { application } = parsed(text);
    const again = printGridadl(application);
    expect(again.problems).toEqual([]);
    const bare = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (key, part) => (key === "at" ? undefined : part)));
    expect(bare(parsed(again.text).application.groups)).toEqual(bare(application.groups));
  });

  it.each([
    ["task A -e x -w B", "gridadl/bad-condition"],
    ["task A -e x -w B=300", "gridadl/bad-condition"],
    ["task A -e x -w =3", "gridadl/bad-condition"],
    ["task A -e x -q memory", "gridadl/bad-need"],
    ["task A -e x -q memory=much", "gridadl/bad-need"],
    ["task A -e x -q cores=0", "gridadl/bad-need"],
    ['task A -e x -q "module=--help"', "gridadl/bad-need"],
  ])("%s is refused", (source, code) => {
    expect(parsed(source).problems.join()).toContain(code);
  });

  it("names a task that a condition waits for and nobody has", () => {
    const { application } = parsed("task A -e x -w nobody=0");
    expect(buildWorkflow(application).problems.map(({ code }) => code)).toContain("workflow/unknown-task");
  });
});
