/** Small jobs for tests of drivers, and waiting for what becomes of them. */
import { randomUUID } from "node:crypto";
import { until } from "@/server/testbed/box-for-tests";
import { ClusterProblem } from "./cluster-problem";
import { type AgentJob, type ClusterDriver, type ClusterJob, hasEnded, type JobState } from "./driver";

export function smallJob(script: string, more: Partial<AgentJob> = {}): AgentJob {
  return { agent: randomUUID(), user: "ada", script, cores: 1, memoryBytes: 64 * 1024 ** 2, wallSeconds: 600, ...more };
}

/** Starts one job that must be accepted; returns the scheduler's id. */
export async function startOne(driver: ClusterDriver, job: AgentJob): Promise<string> {
  const [result] = await driver.start([job]);
  if (result?.outcome !== "started") throw new Error(`not started: ${result?.problem.sentence}`);
  return result.job;
}

export async function jobNow(driver: ClusterDriver, id: string): Promise<ClusterJob | undefined> {
  return (await driver.list()).find(({ job }) => job === id);
}

export async function untilState(
  driver: ClusterDriver,
  id: string,
  state: JobState,
  timeoutMs = 90_000,
): Promise<ClusterJob> {
  let last: ClusterJob | undefined;
  await until(
    `job ${id} ${state}`,
    async () => {
      last = await jobNow(driver, id);
      if (last && last.state !== state && hasEnded(last.state)) throw new Error(`${id} ended: ${JSON.stringify(last)}`);
      return last?.state === state;
    },
    timeoutMs,
  );
  if (!last) throw new Error("unreachable");
  return last;
}

export async function problemOf(action: Promise<unknown>): Promise<ClusterProblem> {
  try {
    await action;
  } catch (error) {
    if (error instanceof ClusterProblem) return error;
    throw error;
  }
  throw new Error("it went well, and should not have");
}
