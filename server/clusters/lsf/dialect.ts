/**
 * IBM Spectrum LSF, 10.1 and newer (`bjobs -json`). Not yet tried on a real system: written after the LSF Command Reference (bsub, bjobs,
 * bkill, bhosts, lshosts, lsload) and "Termination reasons displayed by bacct, bhist, and bjobs", with samples made from them.
 */
import { z } from "zod";
import { type Dialect, megabytes, type ToldJob } from "../batch/dialect";
import { readJson } from "../batch/json";
import type { AgentJob, DriverSettings, JobState } from "../driver";
import { parseHosts, parseReadings } from "./hosts";

const fields = "jobid jobindex stat job_name exec_host exit_code exit_reason pend_reason job_description";

export const lsf: Dialect = {
  kind: "lsf",
  system: "LSF",
  versionCommand: ["lsid"],
  // A description holds 4094 characters, an agent's id 36.
  mostInArray: 100,
  indexVariable: "LSB_JOBINDEX",
  firstIndex: 1,
  serverAway: /daemon.*not responding|lim is down|cannot connect|failed in an lsf library call/i,
  alreadyEnded: /already finished|no matching job|is not found/i,

  submit(batch, settings) {
    const [first] = batch.jobs;
    const name = batch.jobs.length > 1 ? `${batch.name}[1-${batch.jobs.length}]` : batch.name;
    const description = `gridloom user=${batch.user} agents=${batch.jobs.map(({ agent }) => agent).join(",")}`;
    return { command: ["bsub", "-J", name, "-Jd", description, ...requests(first, settings)], stdin: batch.script };
  },

  // `Job <123> is submitted to queue <normal>.`
  submitted: (stdout) => /^Job <(\d+)> is submitted/m.exec(stdout)?.[1],

  element: (array, index) => `${array}[${index}]`,

  async list(ask) {
    const { stdout } = await ask(["bjobs", "-a", "-json", "-o", fields], { purpose: "list jobs", fine: [255] });
    return parseJobs(stdout);
  },

  cancel: (jobs) => [["bkill", ...jobs]],

  async discover(ask) {
    return parseHosts((await ask(["lshosts", "-w"], { purpose: "discover hosts" })).stdout);
  },

  async look(ask) {
    const hosts = await ask(["bhosts", "-w"], { purpose: "look at hosts" });
    const load = await ask(["lsload", "-w"], { purpose: "look at hosts" });
    return parseReadings(hosts.stdout, load.stdout);
  },
};

export function requests(job: AgentJob, settings: DriverSettings): string[] {
  const { cores, processes, memoryBytes, wallSeconds, gpus } = job;
  const queue = job.queue ?? settings.queue;
  const words = ["-L", "/bin/sh", "-o", "/dev/null", "-e", "/dev/null", "-n", String(cores * (processes ?? 1))];
  // All cores of a process are on one host.
  const wants = [processes === undefined ? "span[hosts=1]" : `span[ptile=${cores}]`];
  if (memoryBytes !== undefined) wants.push(`rusage[mem=${megabytes(memoryBytes)}MB]`);
  words.push("-R", wants.join(" "));
  if (wallSeconds !== undefined) words.push("-W", String(Math.ceil(wallSeconds / 60)));
  if (gpus) words.push("-gpu", `num=${gpus}`);
  if (queue !== undefined) words.push("-q", queue);
  return words;
}

const text = z.string().default("");
const toldJobs = z.object({
  RECORDS: z.array(
    z.object({
      JOBID: z.string(),
      JOBINDEX: text,
      STAT: z.string(),
      JOB_NAME: text,
      EXEC_HOST: text,
      EXIT_CODE: text,
      EXIT_REASON: text,
      PEND_REASON: text,
      JOB_DESCRIPTION: text,
    }),
  ),
});

const states: Readonly<Record<string, JobState>> = {
  PEND: "queued",
  WAIT: "queued",
  PROV: "queued",
  PSUSP: "held",
  RUN: "running",
  USUSP: "suspended",
  SSUSP: "suspended",
  // The host's daemon does not answer; the job may still run, or end as ZOMBI.
  UNKWN: "node-lost",
  ZOMBI: "node-lost",
  DONE: "completed",
};

export function parseJobs(stdout: string): ToldJob[] {
  // Without jobs some versions say so in words.
  if (/^\s*$|no (unfinished )?job found/i.test(stdout)) return [];
  return readJson(stdout, toldJobs, "bjobs -json of LSF").RECORDS.map((told) => {
    const index = Number(told.JOBINDEX) || 0;
    const agents = /\bagents=(\S+)/.exec(told.JOB_DESCRIPTION)?.[1]?.split(",") ?? [];
    const agent = agents[Math.max(0, index - 1)];
    // `hostA`, `4*hostA:2*hostB`
    const host = told.EXEC_HOST.split(":")[0]?.replace(/^\d+\*/, "");
    const reason = told.EXIT_REASON || told.PEND_REASON;
    return {
      job: index > 0 ? `${told.JOBID}[${index}]` : told.JOBID,
      name: told.JOB_NAME.replace(/\[\d+\]$/, ""),
      ...(agent && { agent }),
      ...(index > 0 && { array: { id: told.JOBID, index } }),
      ...(host && host !== "-" && { host }),
      ...(reason && reason !== "-" && { reason }),
      ...stateOf(told.STAT, told.EXIT_CODE, told.EXIT_REASON),
    };
  });
}

function stateOf(word: string, code: string, reason: string): Pick<ToldJob, "state" | "exitCode" | "signal"> {
  const state = states[word];
  if (state) return { state, ...(state === "completed" && { exitCode: 0 }) };
  // EXIT
  const exit = /^\d+$/.test(code) ? Number(code) : undefined;
  const end = exit === undefined ? {} : exit > 128 ? { signal: exit - 128 } : { exitCode: exit };
  if (/TERM_(FORCE_)?(OWNER|ADMIN)|TERM_BUCKET_KILL|TERM_REQUEUE_(OWNER|ADMIN)/.test(reason))
    return { state: "cancelled-by-owner", ...end };
  if (/TERM_(RUNLIMIT|DEADLINE|WINDOW|CPULIMIT)/.test(reason)) return { state: "timed-out", ...end };
  if (/TERM_(ZOMBIE|REMOVE_HUNG_JOB)/.test(reason)) return { state: "node-lost", ...end };
  return { state: "failed", ...end };
}
