/**
 * The Test of a cluster: connect, authenticate, find the scheduler, submit a probe, read it back. Each step is told with
 * the commands it ran; a step that fails says what to do, and is the last.
 */
import { ClusterProblem } from "./cluster-problem";
import type { CommandRunner, RanCommand } from "./command-runner";
import type { ProbeStep } from "./driver";

export interface ProbeParts {
  runner: CommandRunner;
  findScheduler(runner: CommandRunner): Promise<string>;
  submit(runner: CommandRunner): Promise<{ job: string; sentence: string }>;
  readBack(runner: CommandRunner, job: string): Promise<string>;
  tell(step: ProbeStep): void;
}

export async function probeCluster(parts: ProbeParts): Promise<boolean> {
  if (!(await connectAndAuthenticate(parts))) return false;
  let job = "";
  return (
    (await step(parts, "scheduler", (runner) => parts.findScheduler(runner))) &&
    (await step(parts, "submit", async (runner) => {
      const submitted = await parts.submit(runner);
      job = submitted.job;
      return submitted.sentence;
    })) &&
    (await step(parts, "read-back", (runner) => parts.readBack(runner, job)))
  );
}

/** One command does both; which of the two failed is told by the problem. */
async function connectAndAuthenticate({ runner, tell }: ProbeParts): Promise<boolean> {
  const commands: RanCommand[] = [];
  const recorded = runner.recording((ran) => commands.push(ran));
  const connected = { step: "connect", ok: true, sentence: `${runner.place} answers.` } as const;
  try {
    const { stdout, exitCode, stderr } = await recorded.run(["id", "-un"], {
      timeoutMs: 30_000,
      purpose: "who are we there",
    });
    const connecting = commands.filter(({ purpose }) => purpose === "connect");
    tell({ ...connected, commands: connecting });
    const ok = exitCode === 0;
    const sentence = ok
      ? `Commands run on ${runner.place} as ${stdout.trim()}.`
      : `The account on ${runner.place} cannot run id: ${stderr.trim()}`;
    tell({ step: "authenticate", ok, sentence, commands: commands.filter(({ purpose }) => purpose !== "connect") });
    return ok;
  } catch (error) {
    const { code, sentence } = problemOf(error);
    if (code === "unreachable" || code === "host-key" || code === "timed-out") {
      tell({ ...connected, ok: false, sentence, commands });
      return false;
    }
    tell({ ...connected, commands: [] });
    tell({ step: "authenticate", ok: false, sentence, commands });
    return false;
  }
}

async function step(
  { runner, tell }: ProbeParts,
  name: ProbeStep["step"],
  work: (runner: CommandRunner) => Promise<string>,
): Promise<boolean> {
  const commands: RanCommand[] = [];
  const recorded = runner.recording((ran) => commands.push(ran));
  try {
    tell({ step: name, ok: true, sentence: await work(recorded), commands });
    return true;
  } catch (error) {
    tell({ step: name, ok: false, sentence: problemOf(error).sentence, commands });
    return false;
  }
}

function problemOf(error: unknown): ClusterProblem {
  if (error instanceof ClusterProblem) return error;
  throw error;
}
