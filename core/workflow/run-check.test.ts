import { describe, expect, it } from "vitest";
import { parseWorkflow } from "@/core/languages";
import { runProblems } from "./run-check";

describe("what a run honours otherwise than expected", () => {
  it("is nothing for plain GRID-ADL", () => {
    expect(runProblems(parseWorkflow("task A -e true -o a\ntask B -e cat -i a\n").application)).toEqual([]);
  });

  it("is nothing for streams in files, variables, commands around a task and its limits", () => {
    const dag = `JOB A {
 executable = /bin/date
 input = in.txt
 output = a.txt
 environment = X=1
 request_memory = 1G
 allowed_job_duration = 60
}
SCRIPT PRE A before.sh
SCRIPT POST A after.sh $RETURN
`;
    expect(runProblems(parseWorkflow(dag, "a.dag").application)).toEqual([]);
  });

  it("is nothing for what the engine decides: requirements, priorities, categories, retries, cores, a last task", () => {
    const dag = `JOB A {
 executable = /bin/date
 requirements = Memory > 10
 request_cpus = 2
}
FINAL B {
 executable = /bin/date
}
PRIORITY A 5
RETRY A 2 UNLESS-EXIT 3
CATEGORY A some
MAXJOBS some 1
`;
    expect(runProblems(parseWorkflow(dag, "a.dag").application)).toEqual([]);
  });

  it("is a warning, with its place, where names are the run's own", () => {
    const dag = "JOB A {\n executable = /bin/date\n environment = GRIDLOOM_TASK=mine\n}\n";
    const [problem, ...others] = runProblems(parseWorkflow(dag, "a.dag").application);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      severity: "warning",
      message: expect.stringContaining("GRIDLOOM_"),
      at: { line: 1 },
    });
  });
});
