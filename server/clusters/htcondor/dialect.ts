/**
 * HTCondor, 8.8 and newer (`-json`). Not yet tried on a real system: written after the HTCondor Manual (condor_submit, condor_q, condor_history,
 * condor_rm, condor_status; "Job ClassAd Attributes"), with samples made from it. The job's script is a file on the submit machine: a
 * submit description cannot hold it.
 */
import { z } from "zod";
import { type Ask, type Batch, type Dialect, megabytes, type ToldJob } from "../batch/dialect";
import { defaultStateDirectory } from "../batch/job-script";
import { readJson } from "../batch/json";
import type { DriverSettings, JobState } from "../driver";
import { parseHosts, parseReadings } from "./hosts";

const attributes =
  "ClusterId,ProcId,JobStatus,GridloomAgent,NumJobStarts,RemoteHost,LastRemoteHost,HoldReason,RemoveReason,ExitCode,ExitBySignal,ExitSignal,EnteredCurrentStatus";
const ours = "GridloomAgent =!= undefined";
const slotAttributes = "Machine,SlotType,Cpus,TotalCpus,Memory,TotalMemory,Arch,OpSys,State,LoadAvg,TotalGPUs";

export const htcondor: Dialect = {
  kind: "htcondor",
  system: "HTCondor",
  versionCommand: ["condor_version"],
  mostInArray: 100,
  indexVariable: "GRIDLOOM_INDEX",
  firstIndex: 0,
  serverAway: /failed to (connect|fetch ads)|can't find address|unable to locate|failed to end classad message/i,
  alreadyEnded: /not found|couldn't find\/remove all jobs|no jobs/i,

  submit(batch, settings) {
    const [first] = batch.jobs;
    const upload = { name: `${first.agent}.sh`, content: batch.script };
    return { command: ["condor_submit", "-terse", "-"], stdin: description(batch, upload.name, settings), upload };
  },

  singleIsElement: true,

  // `123.0 - 123.4`
  submitted: (stdout) => /^(\d+)\.\d+ - \d+\.\d+$/m.exec(stdout.trim())?.[1],

  element: (array, index) => `${array}.${index}`,

  async list(ask) {
    return parseJobs(
      (await ask(["condor_q", "-json", "-attributes", attributes, "-constraint", ours], { purpose: "list jobs" }))
        .stdout,
    );
  },

  async ended(ask: Ask) {
    const limits = ["-limit", "2000", "-constraint", ours];
    const command = ["condor_history", "-json", "-attributes", attributes, ...limits];
    return parseJobs((await ask(command, { purpose: "find out how jobs ended", fine: [1] })).stdout);
  },

  cancel: (jobs) => [["condor_rm", ...jobs]],

  async discover(ask) {
    return parseHosts(
      (await ask(["condor_status", "-json", "-attributes", slotAttributes], { purpose: "discover hosts" })).stdout,
    );
  },

  async look(ask) {
    return parseReadings(
      (await ask(["condor_status", "-json", "-attributes", slotAttributes], { purpose: "look at hosts" })).stdout,
    );
  },
};

export function description(batch: Batch, script: string, settings: DriverSettings): string {
  const [{ cores, processes, memoryBytes, wallSeconds, gpus, queue }] = batch.jobs;
  const directory = settings.stateDirectory ?? defaultStateDirectory;
  const place = directory.startsWith("/") ? directory : `$ENV(HOME)/${directory}`;
  const wanted = queue ?? settings.queue;
  const lines = [
    `universe = ${processes === undefined ? "vanilla" : "parallel"}`,
    ...(processes === undefined ? [] : [`machine_count = ${processes}`]),
    `executable = ${place}/jobs/${script}`,
    "transfer_executable = true",
    "should_transfer_files = YES",
    "when_to_transfer_output = ON_EXIT",
    'transfer_output_files = ""',
    "output = /dev/null",
    "error = /dev/null",
    'environment = "GRIDLOOM_INDEX=$(Process)"',
    `request_cpus = ${cores}`,
    ...(memoryBytes === undefined ? [] : [`request_memory = ${megabytes(memoryBytes)}M`]),
    ...(gpus ? [`request_gpus = ${gpus}`] : []),
    // HTCondor has no wall time of its own that every version knows.
    ...(wallSeconds === undefined
      ? []
      : [`periodic_remove = JobStatus == 2 && time() - EnteredCurrentStatus > ${Math.ceil(wallSeconds)}`]),
    // Pools have no queues; what stands for one is an accounting group.
    ...(wanted === undefined ? [] : [`accounting_group = ${wanted}`]),
    `batch_name = ${batch.name}`,
    `+GridloomUser = "${batch.user}"`,
    '+GridloomAgent = "$(agent)"',
    "queue agent from (",
    ...batch.jobs.map(({ agent }) => agent),
    ")",
  ];
  return `${lines.join("\n")}\n`;
}

const toldJobs = z.array(
  z.object({
    ClusterId: z.number(),
    ProcId: z.number(),
    JobStatus: z.number(),
    GridloomAgent: z.string().optional(),
    NumJobStarts: z.number().optional(),
    RemoteHost: z.string().optional(),
    LastRemoteHost: z.string().optional(),
    HoldReason: z.string().optional(),
    RemoveReason: z.string().optional(),
    ExitCode: z.number().optional(),
    ExitBySignal: z.boolean().optional(),
    ExitSignal: z.number().optional(),
    EnteredCurrentStatus: z.number().optional(),
  }),
);

/** "JobStatus" */
const states: Readonly<Record<number, JobState>> = {
  1: "queued",
  2: "running",
  5: "held",
  6: "running",
  7: "suspended",
};
const removed = 3;

export function parseJobs(stdout: string): ToldJob[] {
  if (stdout.trim() === "") return [];
  return readJson(stdout, toldJobs, "condor_q -json of HTCondor").map((told) => {
    // `slot1_2@node7.example.org`
    const host = (told.RemoteHost ?? told.LastRemoteHost)?.split("@").at(-1);
    const reason = told.JobStatus === removed ? told.RemoveReason : told.JobStatus === 5 ? told.HoldReason : undefined;
    const { state, ...end } = stateOf(told);
    return {
      job: `${told.ClusterId}.${told.ProcId}`,
      name: "",
      ...(told.GridloomAgent !== undefined && { agent: told.GridloomAgent }),
      state,
      ...end,
      ...(host && { host }),
      ...(reason !== undefined && { reason }),
      ...(told.EnteredCurrentStatus !== undefined && { since: told.EnteredCurrentStatus * 1000 }),
    };
  });
}

function stateOf(told: z.infer<typeof toldJobs>[number]): Pick<ToldJob, "state" | "exitCode" | "signal"> {
  const live = states[told.JobStatus];
  if (live === "queued") return { state: (told.NumJobStarts ?? 0) > 0 ? "requeued" : "queued" };
  if (live) return { state: live };
  if (told.JobStatus === removed) {
    return { state: /periodic_?remove/i.test(told.RemoveReason ?? "") ? "timed-out" : "cancelled-by-owner" };
  }
  if (told.ExitBySignal) return { state: "failed", ...(told.ExitSignal !== undefined && { signal: told.ExitSignal }) };
  return {
    state: told.ExitCode === 0 ? "completed" : "failed",
    ...(told.ExitCode !== undefined && { exitCode: told.ExitCode }),
  };
}
