/**
 * Grid Engine (Sun's, and Son of Grid Engine, Univa's and Altair's after it). Queue and hosts are read as XML, the accounting file as
 * the text of qacct. Tried on Son of Grid Engine 8.1.9.
 */
import type { Dialect } from "../batch/dialect";
import { hoursMinutesSeconds, megabytes } from "../batch/dialect";
import type { AgentJob, DriverSettings } from "../driver";
import { parseHostReadings, parseHosts } from "./hosts";
import { parseAccounting, parseMembers, parseQueue } from "./jobs";

export const gridengine: Dialect = {
  kind: "gridengine",
  system: "Grid Engine",
  // Its first line is the version. It asks no master; the look at the hosts that follows does.
  versionCommand: ["qhost", "-help"],
  mostInArray: 100,
  indexVariable: "SGE_TASK_ID",
  firstIndex: 1,
  serverAway:
    /unable to (contact|send message to) qmaster|can't (connect|get connection)|commlib error|SGE_ROOT|qmaster.*not/i,
  alreadyEnded: /does not exist|already in deletion/i,

  submit(batch, settings) {
    const [first] = batch.jobs;
    const array = batch.jobs.length > 1 ? ["-t", `1-${batch.jobs.length}`] : [];
    const context = ["-ac", `user=${batch.user},agents=${batch.jobs.map(({ agent }) => agent).join(":")}`];
    const words = ["qsub", "-terse", "-N", batch.name, ...context, ...array];
    return { command: [...words, ...requests(first, settings)], stdin: batch.script };
  },

  // `12` or `12.1-6:1`
  submitted: (stdout) => /^(\d+)(\.\d+-\d+:\d+)?$/m.exec(stdout.trim())?.[1],

  element: (array, index) => `${array}.${index}`,

  async list(ask) {
    // `$user` is Grid Engine's own word for whoever asks.
    const { stdout } = await ask(["qstat", "-xml", "-g", "d", "-s", "prs", "-u", "$user"], { purpose: "list jobs" });
    return parseQueue(stdout);
  },

  async ended(ask) {
    // One look at the accounting file for all of them; it fails if there is none, or none of ours in it.
    const command = ["qacct", "-d", "2", "-j", "gridloom-*"];
    const result = await ask(command, { purpose: "find out how jobs ended", fine: [1] });
    return parseAccounting(result.stdout);
  },

  async members(ask, arrays) {
    const command = ["qstat", "-xml", "-j", arrays.join(",")];
    return parseMembers((await ask(command, { purpose: "find the agents of arrays", fine: [1] })).stdout);
  },

  cancel: (jobs) => [["qdel", ...jobs]],

  async discover(ask, { queue }) {
    return parseHosts((await ask(["qhost", "-F", "-q", "-xml"], { purpose: "discover hosts" })).stdout, queue);
  },

  async look(ask, { queue }) {
    return parseHostReadings((await ask(["qhost", "-F", "-q", "-xml"], { purpose: "look at hosts" })).stdout, queue);
  },
};

export function requests(job: AgentJob, settings: DriverSettings): string[] {
  const { cores, processes, memoryBytes, wallSeconds, gpus } = job;
  const { oneHost = "smp", manyHosts = "mpi" } = settings.parallelEnvironments ?? {};
  const queue = job.queue ?? settings.queue;
  // -C "": lines of the script that begin with `#$` are not options.
  const words = ["-S", "/bin/sh", "-C", "", "-o", "/dev/null", "-j", "y"];
  if (processes !== undefined) words.push("-pe", manyHosts, String(processes * cores));
  else if (cores > 1) words.push("-pe", oneHost, String(cores));
  const limits: string[] = [];
  // h_vmem would limit addresses rather than memory, and Node reserves many of those.
  if (memoryBytes !== undefined) limits.push(`mem_free=${megabytes(memoryBytes)}M`);
  if (wallSeconds !== undefined) limits.push(`h_rt=${hoursMinutesSeconds(wallSeconds)}`);
  if (gpus) limits.push(`gpu=${gpus}`);
  if (limits.length > 0) words.push("-l", limits.join(","));
  if (queue !== undefined) words.push("-q", queue);
  return words;
}
