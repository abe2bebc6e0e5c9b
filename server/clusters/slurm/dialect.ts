/**
 * Slurm, 20.11 and newer (`squeue --me`). Output is asked for in columns of fixed width: unlike `--json` they are the same in every version.
 * Tried on Slurm 22.05.
 */
import type { AgentId } from "@/core/engine/ids";
import { type Batch, type Dialect, hoursMinutesSeconds, megabytes } from "../batch/dialect";
import type { AgentJob, DriverSettings } from "../driver";
import { parseAccounting, parseQueue, queueColumns } from "./jobs";
import { parseNodes, parseReadings } from "./nodes";

const accountingFields = "JobID,JobName,State,ExitCode,NodeList,End";
const agentsWord = "agents=";

export const slurm: Dialect = {
  kind: "slurm",
  system: "Slurm",
  versionCommand: ["sinfo", "--version"],
  mostInArray: 100,
  indexVariable: "SLURM_ARRAY_TASK_ID",
  firstIndex: 0,
  serverAway: /unable to contact slurm controller|unable to establish|connection refused|socket timed out|slurmctld/i,
  alreadyEnded: /job\/step already completing or completed|invalid job id specified/i,

  submit(batch, settings) {
    const [first] = batch.jobs;
    const array = batch.jobs.length > 1 ? [`--array=0-${batch.jobs.length - 1}`] : [];
    const words = ["sbatch", "--parsable", `--job-name=${batch.name}`, `--comment=${comment(batch)}`, ...array];
    return { command: [...words, ...requests(first, settings)], stdin: batch.script };
  },

  submitted(stdout) {
    // `ID`, or `ID;CLUSTER` where there are several clusters; what a site's plug-in prints may stand before.
    return /^(\d+)(;.*)?$/m.exec(stdout.trim())?.[1];
  },

  element: (array, index) => `${array}_${index}`,

  async list(ask) {
    const command = [
      "env",
      "SLURM_TIME_FORMAT=%s",
      "squeue",
      "--noheader",
      "--me",
      "--array",
      "--states=all",
      `--Format=${queueColumns}`,
    ];
    return parseQueue((await ask(command, { purpose: "list jobs" })).stdout);
  },

  async ended(ask, jobs) {
    // Without an accounting database sacct fails; then what the queue tells is all there is.
    const which = jobs ? [`--jobs=${jobs.map(({ job }) => job).join(",")}`] : ["--starttime=now-1day"];
    const fields = ["--noheader", "--parsable2", "--allocations", `--format=${accountingFields}`];
    const command = ["env", "SLURM_TIME_FORMAT=%s", "sacct", ...fields, ...which];
    const result = await ask(command, { purpose: "find out how jobs ended", fine: [1] });
    return result.exitCode === 0 ? parseAccounting(result.stdout) : [];
  },

  async members(ask, arrays) {
    const command = [
      "squeue",
      "--noheader",
      "--states=all",
      `--jobs=${arrays.join(",")}`,
      "--Format=arrayjobid:30,comment:60000",
    ];
    return parseMembers((await ask(command, { purpose: "find the agents of arrays", fine: [1] })).stdout);
  },

  cancel: (jobs) => [["scancel", "--", ...jobs]],

  async discover(ask, { queue }) {
    const { stdout } = await ask(["scontrol", "show", "nodes", "--oneliner"], { purpose: "discover hosts" });
    return parseNodes(stdout, queue);
  },

  async look(ask, { queue }) {
    const command = [
      "sinfo",
      "--noheader",
      "--Node",
      "--format=%N|%T|%C|%e|%O|%E",
      ...(queue === undefined ? [] : [`--partition=${queue}`]),
    ];
    return parseReadings((await ask(command, { purpose: "look at hosts" })).stdout);
  },
};

export function requests(job: AgentJob, settings: DriverSettings): string[] {
  const { cores, processes, memoryBytes, wallSeconds, gpus } = job;
  const queue = job.queue ?? settings.queue;
  const words = ["--output=/dev/null", "--error=/dev/null", "--input=/dev/null", `--cpus-per-task=${cores}`];
  if (processes === undefined) words.push("--nodes=1", "--ntasks=1");
  else words.push(`--ntasks=${processes}`);
  if (memoryBytes !== undefined && processes === undefined) words.push(`--mem=${megabytes(memoryBytes)}M`);
  // Slurm counts the memory of jobs on several nodes by core.
  if (memoryBytes !== undefined && processes !== undefined)
    words.push(`--mem-per-cpu=${megabytes(memoryBytes / cores)}M`);
  if (wallSeconds !== undefined) words.push(`--time=${hoursMinutesSeconds(wallSeconds)}`);
  if (gpus) words.push(`--gres=gpu:${gpus}`);
  if (queue !== undefined) words.push(`--partition=${queue}`);
  return words;
}

function comment({ jobs, user }: Batch): string {
  return `gridloom user=${user} ${agentsWord}${jobs.map(({ agent }) => agent).join(",")}`;
}

export function parseMembers(stdout: string): Map<string, AgentId[]> {
  const members = new Map<string, AgentId[]>();
  for (const line of stdout.split("\n")) {
    const [id = "", ...words] = line.trim().split(/\s+/);
    const agents = words.find((word) => word.startsWith(agentsWord));
    if (/^\d+$/.test(id) && agents) members.set(id, agents.slice(agentsWord.length).split(","));
  }
  return members;
}
