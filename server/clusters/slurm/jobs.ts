/** What squeue and sacct tell of jobs. */
import type { ToldJob } from "../batch/dialect";
import type { JobState } from "../driver";

/** Names last: they are the only ones that may hold anything. */
const columns = [
  ["jobarrayid", 32],
  ["state", 16],
  ["exit_code", 12],
  ["restartcnt", 8],
  ["starttime", 22],
  ["endtime", 22],
  ["submittime", 22],
  ["nodelist", 128],
  ["reason", 96],
  ["name", 96],
] as const;

export const queueColumns = columns.map(([name, width]) => `${name}:${width}`).join(",");

type Column = (typeof columns)[number][0];

/** Slurm's names of states (squeue, "JOB STATE CODES"), as GridWay's reasons need them. */
const states: Readonly<Record<string, JobState>> = {
  PENDING: "queued",
  CONFIGURING: "queued",
  RUNNING: "running",
  COMPLETING: "running",
  RESIZING: "running",
  SIGNALING: "running",
  STAGE_OUT: "running",
  SUSPENDED: "suspended",
  STOPPED: "suspended",
  REQUEUED: "requeued",
  REQUEUE_FED: "requeued",
  REQUEUE_HOLD: "held",
  RESV_DEL_HOLD: "held",
  SPECIAL_EXIT: "held",
  COMPLETED: "completed",
  FAILED: "failed",
  OUT_OF_MEMORY: "failed",
  LAUNCH_FAILED: "failed",
  RECONFIG_FAIL: "failed",
  CANCELLED: "cancelled-by-owner",
  REVOKED: "cancelled",
  PREEMPTED: "cancelled",
  TIMEOUT: "timed-out",
  DEADLINE: "timed-out",
  NODE_FAIL: "node-lost",
  BOOT_FAIL: "node-lost",
};

export function parseQueue(stdout: string): ToldJob[] {
  return stdout.split("\n").flatMap((line) => {
    const row = cutColumns(line);
    const id = row.jobarrayid;
    if (!/^\d+(_\d+)?$/.test(id)) return [];
    const state = stateOf(row.state, row.reason, Number(row.restartcnt) || 0);
    const since = Number(
      state === "queued" || state === "held" ? row.submittime : isOver(state) ? row.endtime : row.starttime,
    );
    return [
      {
        ...identity(id, row.name),
        state,
        ...(row.nodelist !== "" && { host: row.nodelist }),
        ...(isOver(state) && exitOf(row.exit_code)),
        ...(row.reason !== "" && row.reason !== "None" && { reason: row.reason }),
        ...(since > 0 && { since: since * 1000 }),
      },
    ];
  });
}

export function parseAccounting(stdout: string): ToldJob[] {
  return stdout.split("\n").flatMap((line) => {
    const [id = "", name = "", told = "", exit = "", nodes = "", end = ""] = line.split("|");
    if (!/^\d+(_\d+)?$/.test(id)) return [];
    // `CANCELLED by 1000`
    const [word = "", ...more] = told.split(" ");
    const state = stateOf(word, "", 0);
    if (!isOver(state)) return [];
    const since = Number(end);
    return [
      {
        ...identity(id, name),
        state,
        ...(nodes !== "" && nodes !== "None assigned" && { host: nodes }),
        ...exitOf(exit),
        ...(more.length > 0 && { reason: told }),
        ...(since > 0 && { since: since * 1000 }),
      },
    ];
  });
}

function stateOf(word: string, reason: string, restarts: number): JobState {
  const state = states[word] ?? "queued";
  if (state !== "queued") return state;
  if (/^JobHeld|^job requeued in held state/i.test(reason)) return "held";
  return restarts > 0 ? "requeued" : "queued";
}

function isOver(state: JobState): boolean {
  return !["queued", "held", "running", "suspended", "requeued"].includes(state);
}

function identity(id: string, name: string): Pick<ToldJob, "job" | "name" | "array"> {
  const [array, index] = id.split("_");
  return { job: id, name, ...(array && index !== undefined && { array: { id: array, index: Number(index) } }) };
}

/** `768`: a wait status, exit code 3. `3:0`: exit code 3, no signal. */
function exitOf(text: string): { exitCode?: number; signal?: number } {
  const pair = /^(\d+):(\d+)$/.exec(text);
  const status = Number(text);
  const exitCode = pair ? Number(pair[1]) : (status >> 8) & 0xff;
  const signal = pair ? Number(pair[2]) : status & 0x7f;
  if (!pair && !Number.isInteger(status)) return {};
  return signal > 0 ? { signal } : { exitCode };
}

function cutColumns(line: string): Record<Column, string> {
  let at = 0;
  const cut = (name: Column) => {
    const width = columns.find(([other]) => other === name)?.[1] ?? 0;
    const text = line.slice(at, at + width).trim();
    at += width;
    return text;
  };
  return {
    jobarrayid: cut("jobarrayid"),
    state: cut("state"),
    exit_code: cut("exit_code"),
    restartcnt: cut("restartcnt"),
    starttime: cut("starttime"),
    endtime: cut("endtime"),
    submittime: cut("submittime"),
    nodelist: cut("nodelist"),
    reason: cut("reason"),
    name: cut("name"),
  };
}
