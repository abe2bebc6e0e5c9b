/**
 * What a task finds around it: a fixed search path and a handful of variables, nothing of the agent's or the portal's
 * own environment.
 */
import { parseAttemptId } from "@/core/engine/ids";
import type { Assignment } from "@/core/protocol/agent";
import { isSetByTheRun } from "@/core/workflow/run-time-variables";

export const taskPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** For the programs the agent itself runs on the way: nothing of its own environment. */
export const plainEnvironment: NodeJS.ProcessEnv = { PATH: taskPath, NODE_ENV: "production" };

/** Also how processes of a task are recognised where nothing better is available. */
export const attemptVariable = "GRIDLOOM_ATTEMPT";

export interface Places {
  /** The task's directory and its place for temporary files, as the task sees them. */
  directory: string;
  temporary: string;
  user: string;
}

export function taskEnvironment(assignment: Assignment, places: Places): Record<string, string> {
  const ref = parseAttemptId(assignment.attempt);
  return {
    PATH: taskPath,
    HOME: places.directory,
    PWD: places.directory,
    TMPDIR: places.temporary,
    LANG: "C.UTF-8",
    USER: places.user,
    LOGNAME: places.user,
    SHELL: "/bin/sh",
    GRIDLOOM_RUN: plain(assignment.runName),
    GRIDLOOM_TASK: plain(assignment.taskName),
    [attemptVariable]: assignment.attempt,
    // GridWay's names for the same.
    GW_TASK_ID: String(assignment.taskIndex),
    GW_RESTARTED: String(Math.max(0, (ref?.ordinal ?? 1) - 1)),
    ...(assignment.cores !== undefined && coresEnvironment(assignment.cores)),
  };
}

/** The second is what programs look at; a workflow may give it another value. */
function coresEnvironment(cores: number): Record<string, string> {
  return { GRIDLOOM_CORES: String(cores), OMP_NUM_THREADS: String(Math.max(1, Math.floor(cores))) };
}

/**
 * What the workflow wants in the environment, as `NAME=VALUE`. It is put there only when the task's own rights are all that is
 * left: where programs are looked for and what they load first must not be said to those that lead to it.
 */
export function wantedEnvironment(assignment: Assignment): string[] {
  return assignment.environment.filter(({ name }) => !isSetByTheRun(name)).map(({ name, value }) => `${name}=${value}`);
}

function plain(name: string): string {
  return name.replaceAll("\0", "");
}
