import { describe, expect, it } from "vitest";
import { bag, diamond, gridOf, schedule, simulated } from "./grid-for-tests";
import { simulate } from "./simulate";
import { bagOf } from "./workload";

const twoHosts = gridOf([{ name: "lab", hosts: [{ name: "slow" }, { name: "fast", speed: 2 }] }]);

describe("a simulation worked by hand", () => {
  it("a diamond of 10-second tasks on hosts of speed 1 and 2 takes 25 s", () => {
    // A on the first in line; then both are free, the longer idle one goes first; D waits for C.
    const result = simulated(diamond, twoHosts);
    expect(schedule(result)).toEqual(["A slow 0-10", "B fast 10-15", "C slow 10-20", "D fast 20-25"]);
    expect(result).toMatchObject({
      makespanSeconds: 25,
      usefulSlotSeconds: 30,
      wastedSlotSeconds: 0,
      utilisation: 30 / 50,
      attempts: { total: 4, counted: 4, failed: 0, lost: 0, replicas: 0 },
      runs: [{ state: "succeeded", tasks: 4, incomplete: 0 }],
    });
    expect(result.runs[0]?.incompleteOverTime).toEqual([
      { at: 0, tasks: 4 },
      { at: 10, tasks: 3 },
      { at: 15, tasks: 2 },
      { at: 20, tasks: 1 },
      { at: 25, tasks: 0 },
    ]);
  });

  it("a task waits for its files, and the way back and forth is paid each time", () => {
    const grid = gridOf([{ name: "c", link: { latencySeconds: 1, bytesPerSecond: 100 }, hosts: [{ name: "h" }] }]);
    const result = simulated("task A -e p -i in -o out\n", grid, { fileSizes: { in: 200, out: 300 } });
    // Joins at 1, is told at 2; 1 + 2 s of prolog, 10 s, 1 + 3 s of epilog, and a second for the report.
    expect(result.timeline).toMatchObject([{ queued: 1, prolog: 2, running: 5, epilog: 15, ended: 19, recorded: 20 }]);
    expect(result.makespanSeconds).toBe(20);
    expect(result.clusters[0]?.bytesMoved).toBe(500);
  });

  it("a file travels once to a cluster with a cache, and each time to one without", () => {
    const described = { name: "c", link: { bytesPerSecond: 100 }, hosts: [{ name: "h" }] };
    const readers = bag(3, "-i data");
    const sizes = { fileSizes: { data: 500 } };
    const cached = simulated(readers, gridOf([described]), sizes);
    const fetched = simulated(readers, gridOf([{ ...described, cache: false }]), sizes);
    expect([cached.makespanSeconds, cached.clusters[0]?.bytesMoved]).toEqual([35, 500]);
    expect([fetched.makespanSeconds, fetched.clusters[0]?.bytesMoved]).toEqual([45, 1500]);
  });

  it("another cluster fetches what was written in the first", () => {
    const link = { bytesPerSecond: 100 };
    const clusters = ["a", "b"].map((name) => ({ name, link, hosts: [{ name: `${name}-host` }] }));
    const fileSizes = { a: 100, b: 100, c: 100 };
    const { timeline } = simulated(diamond, gridOf(clusters), { fileSizes });
    // A writes `a` where it runs: of B and C one has it there, the other waits a second for it.
    const [ofA, ofB, ofC, ofD] = timeline.map(({ prolog = 0, running = 0 }) => running - prolog);
    expect([ofA, ofD]).toEqual([0, 1]);
    expect(new Set([ofB, ofC])).toEqual(new Set([0, 1]));
  });

  it("load slows a host down", () => {
    const load = {
      points: [
        { at: 0, load: 0 },
        { at: 4, load: 0.75 },
      ],
    };
    const grid = gridOf([{ name: "c", hosts: [{ name: "h", load }] }]);
    expect(simulated("task A -e p\n", grid).makespanSeconds).toBe(4 + 6 / 0.25);
  });

  it("an owner who lets tasks wait stops the clock of the task, not the run", () => {
    const preemption = { free: 4, busy: 100, action: "suspend" } as const;
    const grid = gridOf([{ name: "c", hosts: [{ name: "h", preemption }] }]);
    // 4 s of work between two visits: 4 + 4 + 2.
    const result = simulated("task A -e p\n", grid);
    expect(result.makespanSeconds).toBe(4 + 100 + 4 + 100 + 2);
    expect(result.attempts).toMatchObject({ total: 1, lost: 0 });
  });

  it("owners may be there from the start", () => {
    const preemption = { free: 1000, busy: 30, action: "suspend", busyAtStart: 1 } as const;
    const grid = gridOf([{ name: "c", hosts: [{ name: "h", preemption }] }]);
    expect(simulated("task A -e p\n", grid).makespanSeconds).toBe(40);
    const taken = gridOf([{ name: "c", hosts: [{ name: "h", preemption: { ...preemption, action: "kill" } }] }]);
    expect(schedule(simulated("task A -e p\n", taken))).toEqual(["A h 30-40"]);
  });

  it("an owner who does not share costs the attempt; the engine notices the silence", () => {
    const preemption = { free: 15, busy: 5, action: "kill" } as const;
    const grid = gridOf([{ name: "c", hosts: [{ name: "h", preemption }] }], { engine: { silentSeconds: 3 } });
    const result = simulated(bag(2), grid);
    // The second task is killed at 15 and lost three to four seconds later; the next agent starts at 20.
    expect(schedule(result)).toEqual(["t1 h 0-10", "t2 h 10-15", "t2 h 20-30"]);
    expect(result.attempts).toMatchObject({ total: 3, counted: 2, lost: 1 });
    expect(result.wastedSlotSeconds).toBe(5);
    expect(result.timeline[1]).toMatchObject({ outcome: "lost", reason: "agent-silent" });
    expect(result.timeline[1]?.recorded).toBeGreaterThan(17);
    expect(result.timeline[1]?.recorded).toBeLessThanOrEqual(20);
  });

  it("an agent at the end of its lifetime says goodbye, so its task goes on at once elsewhere", () => {
    const hosts = [{ name: "h", count: 2 }];
    const grid = gridOf([{ name: "c", agents: { lifetime: 15 }, limits: { agents: 1 }, hosts }]);
    const result = simulated(bag(2), grid);
    expect(schedule(result)).toEqual(["t1 h-1 0-10", "t2 h-1 10-15", "t2 h-2 15-25"]);
    expect(result.timeline[1]).toMatchObject({ outcome: "lost", reason: "agent-stopped", recorded: 15 });
  });

  it("an attempt whose agent ends while its inputs travel never runs", () => {
    const link = { bytesPerSecond: 100 };
    const cluster = { name: "c", cache: false, link, agents: { lifetime: 15 }, hosts: [{ name: "h" }] };
    const result = simulated("task A -e p -i in\n", gridOf([cluster]), { fileSizes: { in: 2000 } });
    // Twenty seconds of transfer, agents of fifteen: the engine gives the task up after twenty losses.
    expect(result.runs[0]).toMatchObject({ state: "failed", incomplete: 1 });
    expect(result.timeline.every(({ running, outcome }) => running === undefined && outcome === "lost")).toBe(true);
    expect(result.clusters[0]?.bytesMoved).toBe(0);
  });

  it("tasks handed out ahead wait for a slot of their host", () => {
    const grid = gridOf([{ name: "c", link: { latencySeconds: 0.1 }, hosts: [{ name: "h", cores: 2 }] }]);
    const { timeline } = simulated(bag(30), grid, { secondsPerWeight: 0.01 });
    const ahead = timeline.filter(({ queued, prolog = 0 }) => prolog > queued + 0.1001);
    expect(ahead.length).toBeGreaterThan(0);
    for (const { prolog = 0 } of timeline) {
      const atOnce = timeline.filter((other) => other.prolog! <= prolog && prolog < other.ended!);
      expect(atOnce.length).toBeLessThanOrEqual(2);
    }
  });

  it("agents wait in the queue, as many at a time as the limits allow", () => {
    const cluster = { name: "c", queue: 7, limits: { queued: 1 }, hosts: [{ name: "h", count: 3 }] };
    const { timeline } = simulated(bag(3), gridOf([cluster]));
    expect(timeline.map(({ prolog }) => prolog)).toEqual([7, 14, 17]);
  });

  it("handing out costs a submission manager time, and two share the work", () => {
    const clusters = [{ name: "c", hosts: [{ name: "h", count: 4 }] }];
    const central = simulated(bag(4), gridOf(clusters, { engine: { dispatchSeconds: 2 } }));
    expect(central.timeline.map(({ prolog }) => prolog)).toEqual([2, 4, 6, 8]);
    const shared = simulated(bag(4), gridOf(clusters, { engine: { dispatchSeconds: 2, submitters: 2 } }));
    expect(shared.timeline.map(({ prolog }) => prolog)).toEqual([2, 2, 4, 4]);
  });

  it("recorded times count before weights, and a distribution before both", () => {
    const grid = gridOf([{ name: "c", hosts: [{ name: "h" }] }]);
    expect(simulated("task A -e p -c 3\n", grid).makespanSeconds).toBe(30);
    const runtimes = { is: "constant", value: 7 } as const;
    expect(simulated("task A -e p -c 3\n", grid, { runtimes }).makespanSeconds).toBe(21);
  });

  it("several workloads share the grid, each from its own time on", () => {
    const grid = gridOf([{ name: "c", hosts: [{ name: "h" }] }]);
    const bagFor = (name: string) => bagOf({ name, seed: 1, tasks: 3, runtimes: { is: "constant", value: 10 } });
    const result = simulate({
      grid,
      seed: 1,
      submissions: [{ workload: bagFor("first") }, { workload: bagFor("second"), at: 10 }],
    });
    expect(result.runs).toMatchObject([
      { name: "first", state: "succeeded", submittedAt: 0 },
      { name: "second", state: "succeeded", submittedAt: 10 },
    ]);
    expect(result.makespanSeconds).toBe(60);
    expect(result.runs[1]?.makespanSeconds).toBeLessThanOrEqual(50);
    expect(result.timeline.filter(({ runName }) => runName === "second")).toHaveLength(3);
  });

  it("a black hole fails its tasks at once, until they are out of retries", () => {
    const failures = { blackHoles: 1, blackHoleSeconds: 2 };
    const grid = gridOf([{ name: "c", hosts: [{ name: "h", speed: 3, failures }] }]);
    const result = simulated("task A -e p\ntask B -e p\n", grid);
    expect(result.attempts).toMatchObject({ total: 4, failed: 4, counted: 0 });
    expect(result.runs[0]).toMatchObject({ state: "failed", incomplete: 2, makespanSeconds: 8 });
  });

  it("a grid on which nothing moves is told as stalled", () => {
    const load = {
      points: [
        { at: 0, load: 1 },
        { at: 1e9, load: 0 },
      ],
    };
    const grid = gridOf([{ name: "c", hosts: [{ name: "h", load }] }], { engine: { silentSeconds: 86_400 } });
    expect(simulated("task A -e p\n", grid).runs[0]).toMatchObject({ state: "stalled", incomplete: 1 });
  });
});

const hostile = gridOf([
  {
    name: "desktops",
    link: { latencySeconds: 0.2, bytesPerSecond: 1e5 },
    queue: { is: "lognormal", median: 5, sigma: 1 },
    agents: { vanish: { is: "exponential", mean: 200 }, lifetime: { is: "weibull", scale: 300, shape: 1.5 } },
    hosts: [
      {
        name: "d",
        count: 20,
        cores: 2,
        speed: { is: "uniform", low: 0.5, high: 2 },
        preemption: { free: { is: "exponential", mean: 100 }, busy: { is: "exponential", mean: 20 }, action: "kill" },
        failures: {
          hostEvery: { is: "exponential", mean: 400 },
          repair: { is: "normal", mean: 60, deviation: 20 },
          task: 0.05,
          blackHoles: 0.1,
        },
      },
      {
        name: "s",
        count: 10,
        preemption: { free: { is: "exponential", mean: 50 }, busy: 30, action: "suspend" },
        load: {
          repeatSeconds: 60,
          points: [
            { at: 0, load: 0 },
            { at: 30, load: 0.8 },
          ],
        },
      },
    ],
  },
]);
const work = `${bag(60, "-i data -o o${n}")}task last -e p -i o1 o2 o3\n`;
const run = (seed: number) => simulated(work, hostile, { seed, retries: 50, fileBytes: 20_000 });

describe("a hostile grid", () => {
  it.each([1, 2, 3, 4, 5])("still gets every task done, with seed %i", (seed) => {
    const result = run(seed);
    expect(result.runs[0]).toMatchObject({ state: "succeeded", incomplete: 0 });
    expect(result.attempts.counted).toBe(61);
    expect(result.attempts.lost + result.attempts.failed).toBeGreaterThan(0);
    expect(result.attempts.total).toBe(61 + result.attempts.failed + result.attempts.lost);
    const counted = result.timeline.filter(({ counts }) => counts).map(({ taskName }) => taskName);
    expect(new Set(counted).size).toBe(61);
  });

  it("never runs more attempts on a host than it has slots", () => {
    const changes = run(1).timeline.flatMap(({ host, prolog, ended }) =>
      prolog === undefined || ended === undefined
        ? []
        : [
            { host, at: prolog, by: 1 },
            { host, at: ended, by: -1 },
          ],
    );
    changes.sort((a, b) => a.at - b.at || a.by - b.by);
    const used = new Map<string, number>();
    for (const { host, by } of changes) {
      const now = (used.get(host) ?? 0) + by;
      used.set(host, now);
      expect(now).toBeLessThanOrEqual(host.startsWith("d") ? 2 : 1);
    }
  });

  it("is the same each time from the same seed, and another from another", () => {
    const [first, again, other] = [run(7), run(7), run(8)];
    expect(again).toEqual(first);
    expect(other.hash).not.toBe(first.hash);
  });
});
