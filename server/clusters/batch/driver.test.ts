/** What the driver makes of answers, and of answers that do not come. */
import { expect, test } from "vitest";
import { ClusterProblem } from "../cluster-problem";
import type { CommandResult, CommandRunner } from "../command-runner";
import { makeDriver } from "../drivers";
import { problemOf, smallJob } from "../jobs-for-tests";

/** Answers each command in turn. */
function runner(...answers: (Partial<CommandResult> | ClusterProblem)[]): CommandRunner & { ran: string[][] } {
  const ran: string[][] = [];
  const self = {
    place: "front",
    ran,
    run: async (command: readonly string[]): Promise<CommandResult> => {
      ran.push([...command]);
      const answer = answers.shift() ?? {};
      if (answer instanceof ClusterProblem) throw answer;
      return { exitCode: 0, stdout: "", stderr: "", durationMs: 1, ...answer };
    },
    recording: () => self,
  };
  return self;
}

test("a lost answer to a submission is unknown, a refusal is not", async () => {
  for (const [problem, outcome] of [
    ["timed-out", "unknown"],
    ["unreachable", "unknown"],
    ["host-key", "refused"],
    ["not-authorised", "refused"],
  ] as const) {
    const driver = makeDriver("slurm", { runner: runner(new ClusterProblem(problem, "…")) });
    expect(await driver.start([smallJob("exit 0")])).toMatchObject([{ outcome, problem: { code: problem } }]);
  }
  const odd = makeDriver("slurm", { runner: runner({ stdout: "thank you\n" }) });
  expect(await odd.start([smallJob("exit 0")])).toMatchObject([
    { outcome: "unknown", problem: { code: "unreadable" } },
  ]);
});

test("a program that is not there, a server that is away, and a refusal are told apart", async () => {
  const listing = (answer: Partial<CommandResult>) => problemOf(makeDriver("slurm", { runner: runner(answer) }).list());
  expect(await listing({ exitCode: 127, stderr: "sh: squeue: not found" })).toMatchObject({
    code: "no-scheduler",
    sentence: expect.stringContaining("squeue of Slurm was not found on front"),
  });
  const away = "slurm_load_jobs error: Unable to contact slurm controller (connect failure)";
  expect(await listing({ exitCode: 1, stderr: away })).toMatchObject({ code: "no-scheduler" });
  expect(await listing({ exitCode: 1, stderr: "squeue: error: no" })).toMatchObject({ code: "refused" });
});

test("queues that look like options or hold a line end never become words", async () => {
  const asked = runner();
  const driver = makeDriver("htcondor", { runner: asked });
  for (const queue of ["--wrap=id", "a\nexecutable = /bin/rm", ""]) {
    expect(await driver.start([smallJob("exit 0", { queue })])).toMatchObject([{ outcome: "refused" }]);
  }
  expect(asked.ran).toEqual([]);
});

test("the settings' environment comes before each command", async () => {
  const asked = runner();
  await makeDriver("slurm", { runner: asked, settings: { environment: { SLURM_CONF: "/etc/a b" } } }).cancel(["1"]);
  expect(asked.ran).toEqual([["env", "SLURM_CONF=/etc/a b", "scancel", "--", "1"]]);
});

test("a file that must be there first is uploaded, and a single HTCondor job has a process number", async () => {
  const asked = runner({}, { stdout: "41.0 - 41.0\n" });
  const [result] = await makeDriver("htcondor", { runner: asked }).start([smallJob("exit 0")]);
  expect(result).toMatchObject({ outcome: "started", job: "41.0" });
  expect(asked.ran.map(([program]) => program)).toEqual(["sh", "condor_submit"]);
});
