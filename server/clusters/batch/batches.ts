/** Jobs that can be submitted together: same user, same request. */

import type { DriverSettings } from "../driver";
import { type AgentJob, isAgentId, jobName } from "../driver";
import { arrayName, type Batch, type Dialect, listOf } from "./dialect";
import { jobScript } from "./job-script";

/** Schedulers keep scripts in memory; Slurm takes four megabytes at most. */
const mostScriptCharacters = 2_000_000;

export function batches(jobs: readonly AgentJob[], dialect: Dialect, settings: DriverSettings): Batch[] {
  const groups = new Map<string, AgentJob[]>();
  for (const job of jobs) {
    if (!isAgentId(job.agent)) throw new Error(`${job.agent} is no agent's id`);
    const { user, cores, memoryBytes, wallSeconds, gpus, processes, queue } = job;
    const key = JSON.stringify([user, cores, memoryBytes, wallSeconds, gpus, processes, queue]);
    groups.set(key, [...(groups.get(key) ?? []), job]);
  }
  return [...groups.values()].flatMap((group) => {
    const longest = Math.max(...group.map(({ script }) => script.length));
    const most = Math.max(1, Math.min(dialect.mostInArray, Math.floor(mostScriptCharacters / Math.max(1, longest))));
    return listOf(group, most).map((part) => batchOf(part, dialect, settings));
  });
}

function batchOf(jobs: readonly AgentJob[], dialect: Dialect, settings: DriverSettings): Batch {
  const [first, ...rest] = jobs;
  if (!first) throw new Error("a batch has at least one job");
  return {
    jobs: [first, ...rest],
    name: rest.length === 0 ? jobName(first.agent) : arrayName,
    user: userWord(first.user),
    script: jobScript(jobs, dialect.indexVariable, dialect.firstIndex, settings),
  };
}

/** It goes into comments and attributes whose quoting differs from system to system. */
export function userWord(user: string): string {
  return user.replaceAll(/[^A-Za-z0-9_.@+-]/g, "_").slice(0, 64) || "_";
}
