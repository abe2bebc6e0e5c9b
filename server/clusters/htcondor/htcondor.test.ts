/** HTCondor's words, against samples made after the HTCondor Manual. */
import { expect, test } from "vitest";
import { smallJob } from "../jobs-for-tests";
import { description, htcondor, parseJobs } from "./dialect";
import { parseHosts, parseReadings } from "./hosts";

test("a task's resources become a submit description that names each agent", () => {
  const [first, second] = [
    smallJob("", { cores: 4, memoryBytes: 2 * 1024 ** 3, wallSeconds: 3_600, gpus: 1, queue: "group_physics" }),
    smallJob(""),
  ];
  const text = description({ jobs: [first, second], name: "gridloom-array", user: "ada", script: "" }, "x.sh", {});
  for (const line of [
    "universe = vanilla",
    "executable = $ENV(HOME)/.gridloom/jobs/x.sh",
    "request_cpus = 4",
    "request_memory = 2048M",
    "request_gpus = 1",
    "periodic_remove = JobStatus == 2 && time() - EnteredCurrentStatus > 3600",
    "accounting_group = group_physics",
    '+GridloomUser = "ada"',
    '+GridloomAgent = "$(agent)"',
  ]) {
    expect(text.split("\n")).toContain(line);
  }
  expect(text).toContain(`queue agent from (\n${first.agent}\n${second.agent}\n)\n`);
  const mpi = description({ jobs: [smallJob("", { processes: 8 })], name: "x", user: "ada", script: "" }, "x.sh", {});
  expect(mpi).toContain("universe = parallel\nmachine_count = 8\n");
});

test("ids are read from what condor_submit prints", () => {
  expect(htcondor.submitted("41.0 - 41.9\n")).toBe("41");
  expect(htcondor.submitted("ERROR: No 'executable' parameter was provided")).toBeUndefined();
  expect(htcondor.element("41", 3)).toBe("41.3");
});

test("each of HTCondor's states is one of ours", () => {
  const cases: [object, object][] = [
    [{ JobStatus: 1, NumJobStarts: 0 }, { state: "queued" }],
    [{ JobStatus: 1, NumJobStarts: 1, LastRemoteHost: "slot1@old" }, { state: "requeued" }],
    [
      { JobStatus: 2, RemoteHost: "slot1_2@node7.example.org" },
      { state: "running", host: "node7.example.org" },
    ],
    [
      { JobStatus: 5, HoldReason: "via condor_hold (by user ada)" },
      { state: "held", reason: "via condor_hold (by user ada)" },
    ],
    [{ JobStatus: 6 }, { state: "running" }],
    [{ JobStatus: 7 }, { state: "suspended" }],
    [{ JobStatus: 3, RemoveReason: "via condor_rm (by user ada)" }, { state: "cancelled-by-owner" }],
    [
      { JobStatus: 3, RemoveReason: "The job attribute PeriodicRemove expression 'x' evaluated to TRUE" },
      { state: "timed-out" },
    ],
    [
      { JobStatus: 4, ExitBySignal: false, ExitCode: 0 },
      { state: "completed", exitCode: 0 },
    ],
    [
      { JobStatus: 4, ExitBySignal: false, ExitCode: 3 },
      { state: "failed", exitCode: 3 },
    ],
    [
      { JobStatus: 4, ExitBySignal: true, ExitSignal: 9 },
      { state: "failed", signal: 9 },
    ],
  ];
  for (const [job, expected] of cases) {
    const text = JSON.stringify([{ ClusterId: 41, ProcId: 2, GridloomAgent: "a", EnteredCurrentStatus: 5, ...job }]);
    expect(parseJobs(text)[0], JSON.stringify(job)).toMatchObject({
      job: "41.2",
      agent: "a",
      since: 5_000,
      ...expected,
    });
  }
  expect(parseJobs("")).toEqual([]);
});

test("slots are put together by machine", () => {
  const slot = { Machine: "node7", Arch: "X86_64", OpSys: "LINUX", TotalCpus: 8, TotalMemory: 16_000, LoadAvg: 0.5 };
  const text = JSON.stringify([
    { ...slot, SlotType: "Partitionable", Cpus: 5, Memory: 10_000, State: "Unclaimed" },
    { ...slot, SlotType: "Dynamic", Cpus: 3, Memory: 6_000, State: "Claimed", LoadAvg: 2.5 },
    { Machine: "desk", SlotType: "Static", Cpus: 1, Memory: 100, State: "Owner" },
  ]);
  expect(parseHosts(text)[0]).toMatchObject({
    name: "node7",
    cpus: 8,
    memoryBytes: 16_000 * 1024 ** 2,
    attributes: { OpSys: "LINUX", Arch: "X86_64" },
  });
  expect(parseReadings(text)).toMatchObject([
    { name: "node7", up: true, freeCpus: 5, load: 3 },
    { name: "desk", up: false, freeCpus: 0, reason: "Owner" },
  ]);
});
