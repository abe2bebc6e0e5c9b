/**
 * OpenPBS and PBS Professional, 14 and newer (`qstat -F json`). Not yet tried on a real system: written after the PBS Professional
 * Reference Guide (qsub, qstat, pbsnodes; "Job States", "Job Exit Status Codes"), with samples made from it.
 */
import { z } from "zod";
import { type Dialect, hoursMinutesSeconds, listOf, megabytes, type ToldJob } from "../batch/dialect";
import { readJson } from "../batch/json";
import type { AgentJob, DriverSettings, JobState } from "../driver";
import { parseHosts, parseReadings } from "./hosts";

const mostAskedAtATime = 500;

export const pbs: Dialect = {
  kind: "pbs",
  system: "PBS",
  versionCommand: ["qstat", "--version"],
  mostInArray: 100,
  indexVariable: "PBS_ARRAY_INDEX",
  firstIndex: 0,
  serverAway: /cannot connect to server|connection refused|pbs_iff|no server/i,
  alreadyEnded: /job has finished|unknown job id/i,

  submit(batch, settings) {
    const [first] = batch.jobs;
    const array = batch.jobs.length > 1 ? ["-J", `0-${batch.jobs.length - 1}`] : [];
    // PBS has no comment that a user may set; the variables of a job are shown with it.
    const told = `GRIDLOOM_USER=${batch.user},GRIDLOOM_AGENTS=${batch.jobs.map(({ agent }) => agent).join(":")}`;
    const words = ["qsub", "-N", batch.name, "-v", told, ...array];
    return { command: [...words, ...requests(first, settings)], stdin: batch.script };
  },

  // `1234.server` or `1234[].server`
  submitted: (stdout) => /^(\d+(?:\[\])?(?:\.\S+)?)$/m.exec(stdout.trim())?.[1],

  element: (array, index) => array.replace("[]", `[${index}]`),

  async list(ask) {
    const login = (await ask(["id", "-un"], { purpose: "who are we there" })).stdout.trim();
    // -x: also finished ones, -T: also elements of arrays.
    const { stdout } = await ask(["qselect", "-x", "-T", "-u", login], { purpose: "list jobs" });
    const jobs: ToldJob[] = [];
    for (const ids of listOf(
      stdout.split("\n").filter((id) => id !== ""),
      mostAskedAtATime,
    )) {
      // 35: some have been forgotten in between.
      const told = await ask(["qstat", "-x", "-f", "-F", "json", ...ids], { purpose: "list jobs", fine: [35, 153] });
      jobs.push(...parseJobs(told.stdout));
    }
    return jobs;
  },

  cancel: (jobs) => [["qdel", ...jobs]],

  async discover(ask) {
    return parseHosts((await ask(["pbsnodes", "-a", "-F", "json"], { purpose: "discover hosts" })).stdout);
  },

  async look(ask) {
    return parseReadings((await ask(["pbsnodes", "-a", "-F", "json"], { purpose: "look at hosts" })).stdout);
  },
};

export function requests(job: AgentJob, settings: DriverSettings): string[] {
  const { cores, processes, memoryBytes, wallSeconds, gpus } = job;
  const queue = job.queue ?? settings.queue;
  const chunk = [`${processes ?? 1}:ncpus=${cores}`];
  if (memoryBytes !== undefined) chunk.push(`mem=${megabytes(memoryBytes)}mb`);
  if (gpus) chunk.push(`ngpus=${gpus}`);
  if (processes !== undefined) chunk.push("mpiprocs=1");
  // -C "": lines of the script that begin with `#PBS` are not options.
  const words = ["-S", "/bin/sh", "-C", "", "-j", "oe", "-o", "/dev/null", "-l", `select=${chunk.join(":")}`];
  if (wallSeconds !== undefined) words.push("-l", `walltime=${hoursMinutesSeconds(wallSeconds)}`);
  if (queue !== undefined) words.push("-q", queue);
  return words;
}

const toldJobs = z.object({
  Jobs: z
    .record(
      z.string(),
      z.object({
        Job_Name: z.string(),
        job_state: z.string(),
        substate: z.coerce.number().optional(),
        exec_host: z.string().optional(),
        comment: z.string().optional(),
        Exit_status: z.coerce.number().optional(),
        run_count: z.coerce.number().optional(),
        Variable_List: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .default({}),
});

export function parseJobs(stdout: string): ToldJob[] {
  if (stdout.trim() === "") return [];
  const { Jobs: jobs } = readJson(stdout, toldJobs, "qstat -f -F json of PBS");
  return Object.entries(jobs).flatMap(([id, told]) => {
    // The array as a whole is no job of its own.
    if (id.includes("[]")) return [];
    const element = /^(\d+)\[(\d+)\](.*)$/.exec(id);
    const agents = String(told.Variable_List?.GRIDLOOM_AGENTS ?? "").split(":");
    const agent = agents[element ? Number(element[2]) : 0];
    // `node1/0*2+node2/0`
    const host = told.exec_host?.split("/")[0];
    return [
      {
        job: id,
        name: told.Job_Name,
        ...(agent && { agent }),
        ...(element && { array: { id: `${element[1]}[]${element[3]}`, index: Number(element[2]) } }),
        ...(host && { host }),
        ...(told.comment !== undefined && { reason: told.comment }),
        ...stateOf(told.job_state, told.substate, told.Exit_status, told.run_count ?? 0),
      },
    ];
  });
}

const states: Readonly<Record<string, JobState>> = {
  Q: "queued",
  W: "queued",
  T: "queued",
  M: "queued",
  H: "held",
  B: "running",
  R: "running",
  E: "running",
  S: "suspended",
  U: "suspended",
};

/** "Job Substates": the job was deleted. */
const deleted = 91;
/** "Job Exit Status Codes" */
const killedForWalltime = -29;

function stateOf(
  letter: string,
  substate: number | undefined,
  exit: number | undefined,
  runs: number,
): Pick<ToldJob, "state" | "exitCode" | "signal"> {
  const live = states[letter];
  if (live === "queued") return { state: runs > 1 ? "requeued" : "queued" };
  if (live) return { state: live };
  // F, and X of an array's element: it is over.
  const end = exit === undefined || exit < 0 ? {} : exit >= 256 ? { signal: exit - 256 } : { exitCode: exit };
  if (substate === deleted) return { state: "cancelled-by-owner", ...end };
  if (exit === killedForWalltime) return { state: "timed-out" };

  if (exit === undefined) return { state: "gone" };
  return { state: exit === 0 ? "completed" : "failed", ...end };
}
