/** PBS's words, against samples made after the PBS Professional Reference Guide. */
import { expect, test } from "vitest";
import { ClusterProblem } from "../cluster-problem";
import { smallJob } from "../jobs-for-tests";
import { parseJobs, pbs, requests } from "./dialect";
import { parseHosts, parseReadings } from "./hosts";

const [first, second] = [smallJob("").agent, smallJob("").agent];

test("a task's resources become PBS's requests", () => {
  const job = smallJob("", { cores: 4, memoryBytes: 2 * 1024 ** 3, wallSeconds: 3_661, gpus: 1, queue: "workq" });
  expect(requests(job, {}).join(" ")).toContain("-l select=1:ncpus=4:mem=2048mb:ngpus=1 -l walltime=01:01:01 -q workq");
  expect(requests(smallJob("", { cores: 2, processes: 8 }), {}).join(" ")).toContain(
    "select=8:ncpus=2:mem=64mb:mpiprocs=1",
  );
});

test("arrays are submitted with their agents and user, and ids read back", () => {
  const batch = {
    jobs: [smallJob(""), smallJob("")] as const,
    name: "gridloom-array",
    user: "ada",
    script: "#!/bin/sh\n",
  };
  const { command, stdin } = pbs.submit({ ...batch, jobs: [batch.jobs[0], batch.jobs[1]] }, {});
  expect(command.slice(0, 5)).toEqual([
    "qsub",
    "-N",
    "gridloom-array",
    "-v",
    `GRIDLOOM_USER=ada,GRIDLOOM_AGENTS=${batch.jobs[0].agent}:${batch.jobs[1].agent}`,
  ]);
  expect(command.join(" ")).toContain("-J 0-1");
  expect(stdin).toBe("#!/bin/sh\n");
  expect(pbs.submitted("1234[].pbs01\n")).toBe("1234[].pbs01");
  expect(pbs.element("1234[].pbs01", 1)).toBe("1234[1].pbs01");
  expect(pbs.submitted("1235.pbs01\n")).toBe("1235.pbs01");
});

function told(jobs: Record<string, object>): string {
  return JSON.stringify({ timestamp: 1_553_090_436, pbs_version: "20.0.1", pbs_server: "pbs01", Jobs: jobs });
}

test("jobs, elements of arrays and their states are read", () => {
  const variables = { PBS_O_HOME: "/home/ada", GRIDLOOM_USER: "ada", GRIDLOOM_AGENTS: `${first}:${second}` };
  const job = (more: object) => ({
    Job_Name: "gridloom-array",
    Job_Owner: "ada@front",
    queue: "workq",
    Variable_List: variables,
    ...more,
  });
  const jobs = parseJobs(
    told({
      "12[].pbs01": job({ job_state: "B" }),
      "12[0].pbs01": job({
        job_state: "R",
        substate: 42,
        exec_host: "node1/0*2",
        run_count: 1,
        comment: "Job run at …",
      }),
      "12[1].pbs01": job({ job_state: "X", substate: 92, exec_host: "node2/0", Exit_status: 3 }),
    }),
  );
  expect(jobs).toEqual([
    {
      job: "12[0].pbs01",
      name: "gridloom-array",
      agent: first,
      array: { id: "12[].pbs01", index: 0 },
      host: "node1",
      reason: "Job run at …",
      state: "running",
    },
    {
      job: "12[1].pbs01",
      name: "gridloom-array",
      agent: second,
      array: { id: "12[].pbs01", index: 1 },
      host: "node2",
      state: "failed",
      exitCode: 3,
    },
  ]);
});

test("each of PBS's states is one of ours", () => {
  const cases: [object, object][] = [
    [{ job_state: "Q" }, { state: "queued" }],
    [{ job_state: "Q", run_count: 2 }, { state: "requeued" }],
    [{ job_state: "H" }, { state: "held" }],
    [{ job_state: "W" }, { state: "queued" }],
    [{ job_state: "S" }, { state: "suspended" }],
    [{ job_state: "U" }, { state: "suspended" }],
    [{ job_state: "E" }, { state: "running" }],
    [
      { job_state: "F", substate: 92, Exit_status: 0 },
      { state: "completed", exitCode: 0 },
    ],
    [
      { job_state: "F", substate: 93, Exit_status: 7 },
      { state: "failed", exitCode: 7 },
    ],
    [
      { job_state: "F", substate: 93, Exit_status: 265 },
      { state: "failed", signal: 9 },
    ],
    [
      { job_state: "F", substate: 91, Exit_status: 271 },
      { state: "cancelled-by-owner", signal: 15 },
    ],
    [{ job_state: "F", substate: 93, Exit_status: -29 }, { state: "timed-out" }],
    [{ job_state: "F" }, { state: "gone" }],
  ];
  for (const [job, expected] of cases) {
    expect(parseJobs(told({ "1.s": { Job_Name: "gridloom-x", ...job } }))[0], JSON.stringify(job)).toMatchObject(
      expected,
    );
  }
});

test("an answer that is no JSON is told as such", () => {
  expect(() => parseJobs("qstat: cannot")).toThrow(ClusterProblem);
  expect(parseJobs("")).toEqual([]);
  expect(parseJobs('{"timestamp":1,"pbs_version":"20"}')).toEqual([]);
});

test("nodes tell what and how they are", () => {
  const text = JSON.stringify({
    nodes: {
      node1: {
        Mom: "node1",
        state: "free",
        pcpus: 8,
        resources_available: { arch: "linux", host: "node1", mem: "8002168kb", ncpus: 8, ngpus: 2 },
        resources_assigned: { mem: "1048576kb", ncpus: 3 },
      },
      node2: {
        state: "down,offline",
        pcpus: 4,
        comment: "node down: communication closed",
        resources_available: { ncpus: 4 },
      },
    },
  });
  expect(parseHosts(text)[0]).toMatchObject({
    name: "node1",
    cpus: 8,
    memoryBytes: 8_002_168 * 1024,
    attributes: { OpSys: "LINUX", Gpus: 2 },
  });
  expect(parseReadings(text)).toMatchObject([
    { name: "node1", up: true, freeCpus: 5, freeMemoryBytes: (8_002_168 - 1_048_576) * 1024 },
    { name: "node2", up: false, freeCpus: 0, reason: "down,offline: node down: communication closed" },
  ]);
});
