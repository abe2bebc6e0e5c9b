/** The options of a task that may move: read, told when they are wrong, and written so that they are read again. */
import { describe, expect, it } from "vitest";
import { buildWorkflow } from "@/core/workflow/build";
import { parseGridAdl } from ".";
import { printGridadl } from "./print";

const linkmap = `task scan -e "unknown && linkmap" -i pedfile.dat datafile.dat -o outfile.dat
  -restart checkpoint.LINKMAP outfile.dat -checkpoint 5 -marker done.mark
  -profile perf -contract "40 1.5x" -requirement-file needs -rank-file likes
  -evaluator "./judge.sh -v" -selector ./choose -wrapper "nice -n 5" -prolog "echo begin" -epilog ./after
  -suspension 60 -migrate better -trouble wait
`;

describe("a task that may move", () => {
  it("says what it can go on from and what was agreed", () => {
    const { application, problems } = parseGridAdl(linkmap);
    expect(problems).toEqual([]);
    const { workflow } = buildWorkflow(application);
    const spec = workflow.task(0);
    expect(spec.adaptive).toEqual({
      restart: ["checkpoint.LINKMAP", "outfile.dat"],
      checkpointSeconds: 5,
      marker: "done.mark",
      profile: "perf",
      contract: { seconds: 40, factor: 1.5 },
      requirementFile: "needs",
      rankFile: "likes",
      evaluator: "./judge.sh -v",
      selector: "./choose",
      suspensionSeconds: 60,
      migrate: "better",
      trouble: "wait",
    });
    expect([spec.before, spec.afterwards]).toEqual(["echo begin", "./after"]);
    // The wrapper gets the program as its arguments.
    expect(spec.command).toEqual({
      is: "exec",
      executable: "nice",
      arguments: ["-n", "5", "/bin/sh", "-c", "unknown && linkmap"],
    });
  });

  it("is written so that reading it gives the same", () => {
    const loop = `foreach i in 1..3 { task t\${i} -e prog -o out\${i} -restart state\${i} "a b" -profile perf\${i} -contract "2x" }\n`;
    for (const text of [linkmap, loop]) {
      const { application } = parseGridAdl(text);
      const printed = printGridadl(application);
      expect(printed.problems).toEqual([]);
      const again = parseGridAdl(printed.text);
      expect(again.problems).toEqual([]);
      const whole = ({ application: made }: { application: typeof application }) => {
        const { workflow } = buildWorkflow(made);
        return Array.from({ length: workflow.taskCount }, (_, task) => workflow.task(task));
      };
      expect(whole(again)).toEqual(whole({ application }));
      expect(again.application.groups).toHaveLength(1);
    }
  });

  it("tells what cannot be meant, and where", () => {
    const told = (option: string) => {
      const { problems } = parseGridAdl(`task a -e p ${option}\n`);
      return problems.map(({ code, at }) => [code, at?.line]);
    };
    expect(told("-checkpoint soon")).toEqual([["gridadl/bad-value", 1]]);
    expect(told("-contract fast")).toEqual([["gridadl/bad-value", 1]]);
    expect(told("-migrate often")).toEqual([["gridadl/bad-value", 1]]);
    expect(told("-restart")).toEqual([["gridadl/missing-value", 1]]);
    expect(told("-profile a -profile b")).toEqual([["gridadl/repeated-option", 1]]);
  });
});
