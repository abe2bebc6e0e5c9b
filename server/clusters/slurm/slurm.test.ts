/** Slurm's words: requests as it understands them, answers as 22.05 gave them. */
import { expect, test } from "vitest";
import { smallJob } from "../jobs-for-tests";
import { parseMembers, requests, slurm } from "./dialect";
import { parseAccounting, parseQueue, queueColumns } from "./jobs";
import { parseNodes, parseReadings } from "./nodes";

/** A line of squeue, in its columns. */
function line(values: Record<string, string>): string {
  return queueColumns
    .split(",")
    .map((column) => {
      const [name = "", width = "0"] = column.split(":");
      return (values[name] ?? "").padEnd(Number(width)).slice(0, Number(width));
    })
    .join("");
}

const times = { starttime: "1795004850", endtime: "1795004851", submittime: "1795004840" };

function stateOf(state: string, more: Record<string, string> = {}) {
  return parseQueue(
    line({ jobarrayid: "12", state, exit_code: "0", restartcnt: "0", reason: "None", name: "x", ...times, ...more }),
  )[0];
}

test("a task's resources become Slurm's requests", () => {
  const job = smallJob("", { cores: 4, memoryBytes: 2.5 * 1024 ** 3 + 1, wallSeconds: 3_661, gpus: 2, queue: "long" });
  expect(requests(job, { queue: "usual" })).toEqual(
    expect.arrayContaining([
      "--nodes=1",
      "--ntasks=1",
      "--cpus-per-task=4",
      "--mem=2561M",
      "--time=01:01:01",
      "--gres=gpu:2",
      "--partition=long",
    ]),
  );
  const mpi = requests(smallJob("", { cores: 2, processes: 16, memoryBytes: 1024 ** 3 }), { queue: "usual" });
  expect(mpi).toEqual(
    expect.arrayContaining(["--ntasks=16", "--cpus-per-task=2", "--mem-per-cpu=512M", "--partition=usual"]),
  );
  expect(mpi).not.toContain("--nodes=1");
});

test("ids are read from what sbatch prints", () => {
  expect(slurm.submitted("123\n")).toBe("123");
  expect(slurm.submitted("a site's greeting\n123;cluster\n")).toBe("123");
  expect(slurm.submitted("sbatch: queued")).toBeUndefined();
});

test("each of Slurm's states is one of ours", () => {
  for (const [told, state] of Object.entries({
    PENDING: "queued",
    CONFIGURING: "queued",
    RUNNING: "running",
    COMPLETING: "running",
    SUSPENDED: "suspended",
    REQUEUED: "requeued",
    SPECIAL_EXIT: "held",
    COMPLETED: "completed",
    FAILED: "failed",
    OUT_OF_MEMORY: "failed",
    CANCELLED: "cancelled-by-owner",
    PREEMPTED: "cancelled",
    TIMEOUT: "timed-out",
    NODE_FAIL: "node-lost",
    BOOT_FAIL: "node-lost",
  })) {
    expect(stateOf(told)?.state, told).toBe(state);
  }
  expect(stateOf("PENDING", { reason: "JobHeldUser" })?.state).toBe("held");
  expect(stateOf("PENDING", { restartcnt: "1", reason: "BeginTime" })?.state).toBe("requeued");
});

test("exit codes are wait statuses, or code and signal", () => {
  expect(stateOf("FAILED", { exit_code: "768" })).toMatchObject({ exitCode: 3 });
  expect(stateOf("CANCELLED", { exit_code: "15" })).toMatchObject({ signal: 15 });
  expect(stateOf("FAILED", { exit_code: "3:0" })).toMatchObject({ exitCode: 3 });
  expect(stateOf("RUNNING", { exit_code: "0" })).not.toHaveProperty("exitCode");
});

test("elements of arrays, hosts, reasons and times are read; other lines are not", () => {
  const text = [
    line({ jobarrayid: "3_17", state: "RUNNING", nodelist: "n1", reason: "None", name: "gridloom-array", ...times }),
    line({ jobarrayid: "9", state: "PENDING", reason: "Resources", name: "gridloom-x", ...times }),
    "slurm_load_jobs: warning",
    "",
  ].join("\n");
  expect(parseQueue(text)).toEqual([
    {
      job: "3_17",
      array: { id: "3", index: 17 },
      name: "gridloom-array",
      state: "running",
      host: "n1",
      since: 1_795_004_850_000,
    },
    { job: "9", name: "gridloom-x", state: "queued", reason: "Resources", since: 1_795_004_840_000 },
  ]);
});

test("sacct says who cancelled, and skips what has not ended", () => {
  const text = [
    "12|gridloom-a|CANCELLED by 1000|0:15|n2|1795004851",
    "13|gridloom-b|RUNNING|0:0|n2|Unknown",
    "14_2|gridloom-array|COMPLETED|0:0|n1|1795004852",
    "15|gridloom-c|CANCELLED by 0|0:0|None assigned|1795004853",
  ].join("\n");
  expect(parseAccounting(text)).toEqual([
    {
      job: "12",
      name: "gridloom-a",
      state: "cancelled-by-owner",
      host: "n2",
      signal: 15,
      reason: "CANCELLED by 1000",
      since: 1_795_004_851_000,
    },
    {
      job: "14_2",
      array: { id: "14", index: 2 },
      name: "gridloom-array",
      state: "completed",
      host: "n1",
      exitCode: 0,
      since: 1_795_004_852_000,
    },
    {
      job: "15",
      name: "gridloom-c",
      state: "cancelled-by-owner",
      exitCode: 0,
      reason: "CANCELLED by 0",
      since: 1_795_004_853_000,
    },
  ]);
});

test("an array's agents are in its comment", () => {
  const told = "3                             gridloom user=ada agents=a,b,c                 \n4     (null)\n";
  expect([...parseMembers(told)]).toEqual([["3", ["a", "b", "c"]]]);
});

test("nodes tell what they are", () => {
  const text =
    "NodeName=gpu1 Arch=x86_64 CoresPerSocket=8  CPUAlloc=0 CPUEfctv=16 CPUTot=16 CPULoad=0.12 AvailableFeatures=avx2,ib ActiveFeatures=avx2,ib " +
    "Gres=gpu:a100:2(S:0) NodeAddr=gpu1 OS=Linux 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1  RealMemory=64000 State=IDLE Partitions=main,gpu  BootTime=2026-11-18T11:46:06\n" +
    "NodeName=old CPUTot=4 RealMemory=1 State=DOWN Partitions=main\n";
  const [gpu, old] = parseNodes(text);
  expect(gpu).toMatchObject({ name: "gpu1", cpus: 16, memoryBytes: 64_000 * 1024 ** 2, arch: "x86_64" });
  expect(gpu?.attributes).toMatchObject({
    Arch: "X86_64",
    OpSys: "LINUX",
    Gpus: 2,
    Features: ["avx2", "ib"],
    Queues: ["main", "gpu"],
    Memory: 64_000,
  });
  expect(old?.attributes).not.toHaveProperty("Arch");
  expect(parseNodes(text, "gpu").map(({ name }) => name)).toEqual(["gpu1"]);
});

test("readings tell how they are, each node once", () => {
  const text =
    "n1|idle|0/2/0/2|19951|0.79|none\nn1|idle|0/2/0/2|19951|0.79|none\nn2|down*|0/0/2/2|N/A|N/A|Not responding\nn3|mixed|1/1/0/2|5|1.0|none\nn4|drained|0/0/2/2|5|0|disk\n";
  expect(parseReadings(text).map(({ name, up, freeCpus, reason }) => [name, up, freeCpus, reason])).toEqual([
    ["n1", true, 2, undefined],
    ["n2", false, 0, "down*: Not responding"],
    ["n3", true, 1, undefined],
    ["n4", false, 0, "drained: disk"],
  ]);
});
