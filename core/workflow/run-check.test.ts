import { describe, expect, it } from "vitest";
import { parseWorkflow } from "@/core/languages";
import { runProblems } from "./run-check";

describe("what a run does not honour yet", () => {
  it("is nothing for plain GRID-ADL", () => {
    expect(runProblems(parseWorkflow("task A -e true -o a\ntask B -e cat -i a\n").application)).toEqual([]);
  });

  it("is an error where the results would be others, with the place that says it", () => {
    const dag = "JOB A {\n executable = /bin/date\n output = a.txt\n environment = X=1\n}\n";
    const problems = runProblems(parseWorkflow(dag, "a.dag").application);
    expect(problems).toEqual([
      expect.objectContaining({
        severity: "error",
        message: expect.stringContaining("standard input, output or error"),
      }),
      expect.objectContaining({ severity: "error", message: expect.stringContaining("environment variables") }),
    ]);
    expect(problems[0]?.at?.line).toBe(1);
  });

  it("is a warning where it only concerns the place", () => {
    const { application } = parseWorkflow("JOB A {\n executable = /bin/true\n}\nPRIORITY A 5\n", "a.dag");
    expect(runProblems(application)).toEqual([expect.objectContaining({ severity: "warning" })]);
  });
});
