/** Grid Engine's words: requests as it understands them, answers as 8.1.9 gave them. */
import { expect, test } from "vitest";
import { ClusterProblem } from "../cluster-problem";
import { smallJob } from "../jobs-for-tests";
import { gridengine, requests } from "./dialect";
import { parseHostReadings, parseHosts } from "./hosts";
import { parseAccounting, parseMembers, parseQueue } from "./jobs";

test("a task's resources become Grid Engine's requests", () => {
  const job = smallJob("", { cores: 4, memoryBytes: 2 * 1024 ** 3, wallSeconds: 3_661, gpus: 1, queue: "long.q" });
  const words = requests(job, {});
  expect(words.join(" ")).toContain("-pe smp 4 -l mem_free=2048M,h_rt=01:01:01,gpu=1 -q long.q");
  const mpi = requests(smallJob("", { cores: 2, processes: 8 }), { parallelEnvironments: { manyHosts: "orte" } });
  expect(mpi.join(" ")).toContain("-pe orte 16");
  expect(requests(smallJob(""), {})).not.toContain("-pe");
});

test("ids are read from what qsub prints", () => {
  expect(gridengine.submitted("12\n")).toBe("12");
  expect(gridengine.submitted("12.1-6:1\n")).toBe("12");
  expect(gridengine.submitted("Your job has been submitted")).toBeUndefined();
});

function queue(...jobs: [id: number, state: string, queueName?: string, task?: string][]): string {
  const list = jobs.map(([id, state, name = "", task]) => {
    const tasks = task === undefined ? "" : `<tasks>${task}</tasks>`;
    return `<job_list state="x"><JB_job_number>${id}</JB_job_number><JB_name>gridloom-&lt;x&gt;</JB_name><state>${state}</state><queue_name>${name}</queue_name><slots>1</slots>${tasks}</job_list>`;
  });
  return `<?xml version='1.0'?>\n<job_info  xmlns:xsd="http://x"><queue_info>${list.join("\n")}</queue_info><job_info></job_info></job_info>`;
}

test("each of Grid Engine's states is one of ours", () => {
  for (const [letters, state] of Object.entries({
    qw: "queued",
    hqw: "held",
    Eqw: "held",
    t: "running",
    r: "running",
    Rr: "running",
    dr: "running",
    s: "suspended",
    S: "suspended",
    T: "suspended",
    Rq: "requeued",
    hRwq: "held",
  })) {
    expect(parseQueue(queue([1, letters]))[0]?.state, letters).toBe(state);
  }
});

test("elements, hosts and names are read", () => {
  expect(parseQueue(queue([5, "r", "all.q@node1", "3"], [6, "qw"]))).toEqual([
    { job: "5.3", array: { id: "5", index: 3 }, name: "gridloom-<x>", state: "running", host: "node1" },
    { job: "6", name: "gridloom-<x>", state: "queued" },
  ]);
  expect(() => parseQueue("error: commlib")).toThrow(ClusterProblem);
});

function record(values: Record<string, string>): string {
  const lines = Object.entries({ hostname: "node1", jobname: "gridloom-a", taskid: "undefined", ...values });
  return `==============================================================\n${lines.map(([name, value]) => `${name.padEnd(12)} ${value}   \n`).join("")}`;
}

test("the accounting file tells how jobs ended; of several records the last counts", () => {
  const text = [
    record({ jobnumber: "1", failed: "0    ", exit_status: "3" }),
    record({ jobnumber: "2", failed: "100 : assumedly after job", exit_status: "137                  (Killed)" }),
    record({ jobnumber: "3", failed: "37  : qmaster enforced h_rt, h_cpu, or h_vmem limit", exit_status: "137" }),
    record({ jobnumber: "4", failed: "25  : rescheduling", exit_status: "0" }),
    record({ jobnumber: "4", hostname: "node2", failed: "0", exit_status: "0" }),
    record({ jobnumber: "5", taskid: "2", failed: "0", exit_status: "0" }),
    record({ jobnumber: "6", failed: "25  : rescheduling", exit_status: "0" }),
  ].join("");
  expect(
    parseAccounting(text).map(({ job, state, exitCode, signal, host }) => [job, state, exitCode ?? signal, host]),
  ).toEqual([
    ["1", "failed", 3, "node1"],
    ["2", "cancelled-by-owner", 9, "node1"],
    ["3", "timed-out", 9, "node1"],
    ["4", "completed", 0, "node2"],
    ["5.2", "completed", 0, "node1"],
  ]);
});

test("an array's agents are in its context", () => {
  const text =
    "<detailed_job_info><djob_info><element><JB_job_number>2</JB_job_number><JB_context><context_list><VA_variable>agents</VA_variable>" +
    "<VA_value>a:b</VA_value></context_list><context_list><VA_variable>user</VA_variable><VA_value>x</VA_value></context_list></JB_context></element></djob_info></detailed_job_info>";
  expect([...parseMembers(text)]).toEqual([["2", ["a", "b"]]]);
});

function host(name: string, load: string, state: string, used = 1): string {
  const known = load !== "-";
  const value = (key: string, text: string) => `<hostvalue name='${key}'>${known ? text : "-"}</hostvalue>`;
  const slots = `<queue name='all.q'><queuevalue qname='all.q' name='slots_used'>${used}</queuevalue><queuevalue qname='all.q' name='slots'>4</queuevalue>`;
  return `<host name='${name}'>${value("arch_string", "lx-amd64")}${value("num_proc", "4")}${value("load_avg", load)}${value("mem_total", "23.5G")}${value("mem_used", "2.5G")}${slots}<queuevalue qname='all.q' name='state_string'>${state}</queuevalue></queue></host>`;
}

test("hosts tell what and how they are", () => {
  const text = `<?xml version='1.0'?>\n<qhost>${host("global", "-", "")}${host("a", "0.50", "")}${host("b", "-", "au")}${host("c", "1.00", "d")}</qhost>`;
  expect(parseHosts(text)[0]).toMatchObject({
    name: "a",
    cpus: 4,
    memoryBytes: 23.5 * 1024 ** 3,
    attributes: { OpSys: "LINUX", Arch: "X86_64", Queues: ["all.q"] },
  });
  expect(parseHostReadings(text).map(({ name, up, freeCpus, reason }) => [name, up, freeCpus, reason])).toEqual([
    ["a", true, 3, undefined],
    ["b", false, 0, "does not answer (all.q au)"],
    ["c", false, 0, "all.q d"],
  ]);
  expect(parseHostReadings(text)[0]?.freeMemoryBytes).toBe(21 * 1024 ** 3);
  expect(parseHosts(text, "other.q")).toEqual([]);
});
