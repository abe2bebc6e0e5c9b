/** What qstat and qacct tell of jobs. */
import type { AgentId } from "@/core/engine/ids";
import type { ToldJob } from "../batch/dialect";
import { ClusterProblem } from "../cluster-problem";
import type { JobState } from "../driver";
import { childText, findAll, parseXml } from "../xml";

export function parseQueue(stdout: string): ToldJob[] {
  const root = parseXml(stdout);
  if (!root) throw new ClusterProblem("unreadable", "qstat -xml of Grid Engine gave something that is no XML.");
  return findAll(root, "job_list").flatMap((element) => {
    const id = childText(element, "JB_job_number");
    if (id === undefined) return [];
    const letters = childText(element, "state") ?? "";
    const host = childText(element, "queue_name")?.split("@")[1];
    const state = stateOf(letters);
    return [
      {
        ...identity(id, childText(element, "tasks")),
        name: childText(element, "JB_name") ?? "",
        state,
        ...(host && state !== "queued" && { host }),
        ...(letters.includes("E") && { reason: "in error state; see qstat -j" }),
      },
    ];
  });
}

/** The letters of qstat(1), section "state": r t running, q w pending, h held, s S T N suspended, R restarted, E error, d in deletion. */
function stateOf(letters: string): JobState {
  if (/[hE]/.test(letters)) return "held";
  if (/[sSTN]/.test(letters)) return "suspended";
  if (/[rt]/.test(letters)) return "running";
  return letters.includes("R") ? "requeued" : "queued";
}

function identity(id: string, task: string | undefined): Pick<ToldJob, "job" | "array"> {
  if (task === undefined || !/^\d+$/.test(task)) return { job: id };
  return { job: `${id}.${task}`, array: { id, index: Number(task) } };
}

/** One record a run of the job: a job that was started again has several, and the last one counts. */
export function parseAccounting(stdout: string): ToldJob[] {
  const jobs = new Map<string, ToldJob>();
  for (const record of stdout.split(/^=+$/m)) {
    const told = new Map<string, string>();
    for (const line of record.split("\n")) {
      const match = /^(\w+)\s+(.*?)\s*$/.exec(line);
      if (match) told.set(match[1] ?? "", match[2] ?? "");
    }
    const id = told.get("jobnumber");
    if (id === undefined) continue;
    const { job, array } = identity(id, told.get("taskid"));
    const failed = told.get("failed") ?? "0";
    const code = Number.parseInt(failed, 10);
    // It runs again, or waits to.
    if (code === rescheduled || code === rescheduledElsewhere) jobs.delete(job);
    else
      jobs.set(job, { job, ...(array && { array }), name: told.get("jobname") ?? "", ...ending(told, code, failed) });
  }
  return [...jobs.values()];
}

// accounting(5), "failed"
const rescheduled = 25;
const rescheduledElsewhere = 24;
const limitExceeded = 37;
const killed = 100;

function ending(
  told: ReadonlyMap<string, string>,
  failed: number,
  sentence: string,
): Omit<ToldJob, "job" | "name" | "array"> {
  const status = Number.parseInt(told.get("exit_status") ?? "0", 10);
  const end = status > 128 ? { signal: status - 128 } : { exitCode: status };
  const host = told.get("hostname");
  const common = { ...end, ...(host && host !== "UNKNOWN" && { host }), ...(failed !== 0 && { reason: sentence }) };
  if (failed === limitExceeded) return { ...common, state: "timed-out" };
  // qdel kills; the accounting file does not say who asked for it.
  if (failed === killed && end.signal === 9) return { ...common, state: "cancelled-by-owner" };
  return { ...common, state: failed === 0 && status === 0 ? "completed" : "failed" };
}

export function parseMembers(stdout: string): Map<string, AgentId[]> {
  const members = new Map<string, AgentId[]>();
  const root = parseXml(stdout);
  if (!root) return members;
  for (const element of findAll(root, "djob_info").flatMap(({ children }) => children)) {
    const id = childText(element, "JB_job_number");
    const context = findAll(element, "context_list").find((entry) => childText(entry, "VA_variable") === "agents");
    const agents = context && childText(context, "VA_value");
    if (id !== undefined && agents) members.set(id, agents.split(":"));
  }
  return members;
}
