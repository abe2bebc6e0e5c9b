/** What a run left: its output files, copied to where the person wants them, and why tasks failed. */
import { constants } from "node:fs";
import { chmod, copyFile, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RunId } from "@/core/engine/ids";
import { TaskState } from "@/core/engine/task-state";
import { isTaskFileName } from "@/core/protocol/agent";
import { buildWorkflow } from "@/core/workflow/build";
import { wordAttempt } from "@/server/api/wording";
import { AttemptOutput } from "@/server/files/attempt-output";
import type { FileStore } from "@/server/files/store";
import type { Home } from "@/server/home";
import type { Pool } from "@/server/journal/pool";
import { attemptsOfTask } from "@/server/journal/queries/attempts-of-task";
import { getRun } from "@/server/journal/queries/get-run";
import { outputsOfRun } from "@/server/journal/queries/outputs-of-run";
import { taskStatesSince } from "@/server/journal/queries/task-states-since";

export interface TaskFailure {
  task: string;
  reason: string;
  attempts: number;
  /** The end of what the last attempt wrote to its standard error. */
  stderr: string;
}

const mostFailuresTold = 20;
const stderrBytes = 4096;

/** Returns the names of the files it copied. */
export async function copyOutputs(pool: Pool, store: FileStore, run: RunId, directory: string): Promise<string[]> {
  const outputs = (await outputsOfRun(pool, run)).filter(({ transient }) => !transient);
  await mkdir(directory, { recursive: true });
  for (const { name, sha256 } of outputs) {
    if (!isTaskFileName(name)) throw new Error(`“${name}” is not the name of a file inside ${directory}.`);
    const target = join(directory, name);
    await mkdir(dirname(target), { recursive: true });
    const unfinished = `${target}.gridloom-${process.pid}`;
    try {
      await copyFile(store.path(sha256), unfinished, constants.COPYFILE_FICLONE);
      // The store keeps its files closed; the copy is an ordinary file of whoever asked for it.
      await chmod(unfinished, 0o666 & ~process.umask());
      await rename(unfinished, target);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }
  return outputs.map(({ name }) => name);
}

export interface Failures {
  told: TaskFailure[];
  /** Further failed tasks. */
  more: number;
}

export async function failuresOf(pool: Pool, home: Home, run: RunId): Promise<Failures> {
  const states = await taskStatesSince(pool, run, -1);
  const failed: number[] = [];
  for (const { first, states: bytes } of states?.chunks ?? []) {
    bytes.forEach((state, index) => {
      if (state === TaskState.failed) failed.push(first + index);
    });
  }
  // Also names of tasks that were added while it ran.
  const stored = failed.length > 0 ? await getRun(pool, run) : undefined;
  const workflow = stored && buildWorkflow(stored.application).workflow;
  const output = new AttemptOutput(home.output);
  const told: TaskFailure[] = [];
  for (const task of failed.slice(0, mostFailuresTold)) {
    const attempts = await attemptsOfTask(pool, run, task);
    const last = attempts.at(-1);
    if (!last) continue;
    told.push({
      task: workflow?.name(task) ?? String(task),
      reason: wordAttempt(last),
      attempts: attempts.length,
      stderr: await stderrTail(output, { run, task, ordinal: last.ordinal }),
    });
  }
  return { told, more: failed.length - told.length };
}

async function stderrTail(output: AttemptOutput, attempt: { run: RunId; task: number; ordinal: number }) {
  const { size } = await output.read(attempt, "stderr", 0, 0);
  const { bytes } = await output.read(attempt, "stderr", Math.max(0, size - stderrBytes), stderrBytes);
  return bytes.toString("utf8").trimEnd().split("\n").slice(-10).join("\n");
}
