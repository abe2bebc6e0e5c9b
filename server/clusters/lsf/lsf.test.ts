/** LSF's words, against samples made after the LSF Command Reference. */
import { expect, test } from "vitest";
import { smallJob } from "../jobs-for-tests";
import { lsf, parseJobs, requests } from "./dialect";
import { parseHosts, parseReadings } from "./hosts";

test("a task's resources become LSF's requests", () => {
  const job = smallJob("", { cores: 4, memoryBytes: 2 * 1024 ** 3, wallSeconds: 3_661, gpus: 1, queue: "normal" });
  const words = requests(job, {});
  expect(words).toContain("span[hosts=1] rusage[mem=2048MB]");
  expect(words.join(" ")).toContain("-n 4");
  expect(words.join(" ")).toContain("-W 62 -gpu num=1 -q normal");
  const mpi = requests(smallJob("", { cores: 2, processes: 8 }), {});
  expect(mpi.join(" ")).toContain("-n 16 -R span[ptile=2]");
});

test("ids are read from what bsub prints", () => {
  expect(lsf.submitted("Job <123> is submitted to default queue <normal>.\n")).toBe("123");
  expect(lsf.submitted("Request aborted by esub.")).toBeUndefined();
  expect(lsf.element("123", 4)).toBe("123[4]");
});

function told(...records: object[]): string {
  return JSON.stringify({ COMMAND: "bjobs", JOBS: records.length, RECORDS: records });
}

test("jobs, elements of arrays and hosts are read", () => {
  const [first, second] = [smallJob("").agent, smallJob("").agent];
  const record = {
    JOB_DESCRIPTION: `gridloom user=ada agents=${first},${second}`,
    JOB_NAME: "gridloom-array[2]",
    EXIT_CODE: "",
    EXIT_REASON: "",
  };
  const text = told({
    JOBID: "123",
    JOBINDEX: "2",
    STAT: "RUN",
    EXEC_HOST: "4*hostA:4*hostB",
    PEND_REASON: "",
    ...record,
  });
  expect(parseJobs(text)).toEqual([
    {
      job: "123[2]",
      name: "gridloom-array",
      agent: second,
      array: { id: "123", index: 2 },
      host: "hostA",
      state: "running",
    },
  ]);
  expect(parseJobs("No unfinished job found\n")).toEqual([]);
  expect(parseJobs(told())).toEqual([]);
});

test("each of LSF's states is one of ours", () => {
  const cases: [stat: string, code: string, reason: string, expected: object][] = [
    ["PEND", "", "", { state: "queued" }],
    ["PSUSP", "", "", { state: "held" }],
    ["USUSP", "", "", { state: "suspended" }],
    ["SSUSP", "", "", { state: "suspended" }],
    ["UNKWN", "", "", { state: "node-lost" }],
    ["DONE", "", "", { state: "completed", exitCode: 0 }],
    ["EXIT", "3", "", { state: "failed", exitCode: 3 }],
    ["EXIT", "137", "TERM_EXTERNAL_SIGNAL: job killed by a signal external to LSF", { state: "failed", signal: 9 }],
    ["EXIT", "130", "TERM_OWNER: job killed by owner", { state: "cancelled-by-owner", signal: 2 }],
    ["EXIT", "130", "TERM_FORCE_ADMIN: …", { state: "cancelled-by-owner" }],
    ["EXIT", "140", "TERM_RUNLIMIT: job killed after reaching LSF run time limit", { state: "timed-out" }],
    ["EXIT", "", "TERM_ZOMBIE: job exited while LSF is not available", { state: "node-lost" }],
    ["EXIT", "1", "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit", { state: "failed" }],
  ];
  for (const [STAT, EXIT_CODE, EXIT_REASON, expected] of cases) {
    expect(parseJobs(told({ JOBID: "1", STAT, EXIT_CODE, EXIT_REASON }))[0], STAT + EXIT_REASON).toMatchObject(
      expected,
    );
  }
});

test("hosts tell what and how they are", () => {
  const lshosts = `HOST_NAME                       type       model  cpuf ncpus maxmem maxswp server RESOURCES
hostA                         X86_64    Intel_EM  60.0    16  31.2G   3.9G    Yes (mg)
client                        X86_64    Intel_EM  60.0     -      -      -     No ()
`;
  const bhosts = `HOST_NAME          STATUS          JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV
hostA              ok              -     16      5      5      0      0      0
hostB              unavail         -      8      0      0      0      0      0
hostC              closed_Full     -      8      8      8      0      0      0
`;
  const lsload = `HOST_NAME               status  r15s   r1m  r15m   ut    pg  ls    it   tmp   swp   mem
hostA                       ok   0.3   0.5   0.4  13%   0.0   1     2  100G  3.9G 20.5G
hostB                  unavail
`;
  expect(parseHosts(lshosts)).toMatchObject([
    {
      name: "hostA",
      cpus: 16,
      memoryBytes: Math.round(31.2 * 1024 ** 3),
      attributes: { OpSys: "LINUX", Arch: "X86_64" },
    },
  ]);
  expect(parseReadings(bhosts, lsload)).toMatchObject([
    { name: "hostA", up: true, freeCpus: 11, load: 0.5, freeMemoryBytes: 20.5 * 1024 ** 3 },
    { name: "hostB", up: false, reason: "unavail" },
    { name: "hostC", up: true, freeCpus: 0 },
  ]);
});
