/**
 * One seed of the fault sweep: random runs on a random grid, with faults everywhere for a while, then none. Every rule of
 * checks.ts is checked after each event; at the end every run must have ended and every agent be rid of its results.
 */
import type { Command } from "@/core/engine/plan";
import { Violation } from "./checks";
import { shortId, simulatedId } from "./names";
import type { Plant } from "./plants";
import { SeededRandom } from "./random";
import { muchMemory, randomPlan, randomPolicies } from "./workload";
import { World } from "./world";

export interface SeedResult {
  seed: number;
  ok: boolean;
  /** The rule that was broken. */
  violation?: string;
  events: number;
  /** Two runs of one seed have the same. */
  hash: string;
  log: readonly string[];
}

/** Simulated time after the last fault within which everything has to be over. */
const patienceMs = 300_000;
const clusters = ["north", "south"] as const;
/** For what failed elsewhere; in some seeds there are agents. */
const rescue = "rescue";

export function runSeed(seed: number, { plant }: { plant?: Plant } = {}): SeedResult {
  const world = new World(seed, plant);
  const { timeline } = world;
  let events = 0;
  const result = (violation?: string): SeedResult => ({
    seed,
    ok: violation === undefined,
    ...(violation === undefined ? {} : { violation }),
    events,
    hash: timeline.hash,
    log: timeline.lines,
  });
  try {
    const faultsEnd = prepare(world, seed);
    while (timeline.now < faultsEnd || !world.allOver()) {
      timeline.step();
      events += 1;
      if (timeline.now > faultsEnd + patienceMs) return result(`not over in time: ${describeUnfinished(world)}`);
    }
    return result();
  } catch (problem) {
    // Also an assertion of the engine itself: it would be restarted in production, here it is a finding.
    const words = problem instanceof Violation || !(problem instanceof Error) ? String(problem) : problem.stack;
    timeline.log(`violation: ${words}`);
    return result(words);
  }
}

function describeUnfinished(world: World): string {
  const runs = [...world.model.runs.values()].map(({ plan, state, states }) => `${plan.id} ${state} [${states}]`);
  const busy = world.workers.filter((worker) => worker.exists && !worker.idle).map(({ id }) => id);
  return [...runs, ...busy.map((id) => `${id} still holds something`)].join("; ");
}

/** Plans everything that people and fate do; returns when the faults end. */
function prepare(world: World, seed: number): number {
  // Plans come from a stream of their own, so that a change of the engine does not change the story told by a seed.
  const random = new SeededRandom(seed ^ 0x5bd1e995);
  const { timeline } = world;
  const faultsEnd = random.between(8000, 40_000);
  for (const cluster of clusters) world.setPolicy({ cluster, enabled: true, access: "everyone" });
  world.setPolicy({ cluster: rescue, enabled: true, access: "everyone", failOver: true });
  if (random.chance(0.3)) timeline.after(random.between(0, faultsEnd / 2), () => world.addWorker(rescue));
  timeline.after(random.between(0, 500), () => world.startEngine());
  const workers = random.between(1, 4);
  for (let i = 0; i < workers; i += 1) {
    const cluster = random.pick(clusters) ?? "north";
    timeline.after(random.between(0, 3000), () => world.addWorker(cluster));
  }
  planPeople(world, random, faultsEnd);
  planFaults(world, random, faultsEnd);
  timeline.after(faultsEnd, () => repair(world));
  return faultsEnd;
}

function planPeople({ timeline, model }: World, random: SeededRandom, faultsEnd: number): void {
  const runs = random.between(1, 4);
  let commands = 0;
  for (let number = 1; number <= runs; number += 1) {
    const plan = randomPlan(random, number);
    const submittedAt = random.between(0, faultsEnd / 2);
    timeline.after(submittedAt, () => {
      timeline.log(`run ${number} with ${plan.taskCount} tasks is submitted`);
      model.submit(plan);
    });
    const wishes = random.chance(0.5) ? random.between(1, 3) : 0;
    for (let wish = 0; wish < wishes; wish += 1) {
      commands += 1;
      const id = simulatedId("command", commands);
      const command = randomCommand(random, id, plan.id);
      timeline.after(random.between(submittedAt, faultsEnd), () => {
        timeline.log(`somebody wants to ${command.kind} run ${number}`);
        model.request(command);
      });
    }
  }
}

function randomCommand(random: SeededRandom, id: string, run: string): Command {
  if (random.chance(0.4)) return { id, run, kind: "migrate", task: random.between(0, 5) };
  if (random.chance(0.3)) return { id, run, kind: "change-policies", policies: randomPolicies(random) };
  return { id, run, kind: random.chance(0.5) ? "kill" : "retry-failed" };
}

function planFaults(world: World, random: SeededRandom, faultsEnd: number): void {
  const { timeline, wire } = world;
  // Each seed has troubles of its own kind: some networks are good and some are awful.
  wire.loss = random.chance(0.3) ? 0 : random.next() * 0.4;
  wire.repetition = random.chance(0.3) ? 0 : random.next() * 0.3;
  wire.slowness = random.chance(0.3) ? 0 : random.next() * 0.2;
  world.slowCommits = random.chance(0.5) ? 0 : random.next() * 0.3;
  world.trouble = random.next() * 1.5;
  const meanGap = random.between(500, 6000);
  for (let at = random.between(0, meanGap * 2); at < faultsEnd; at += random.between(1, meanGap * 2)) {
    const fault = random.pick(faults) ?? crashEngine;
    const forMs = random.chance(0.3) ? random.between(5000, 15_000) : random.between(10, 3000);
    timeline.after(at, () => fault(world, forMs));
  }
}

type Fault = (world: World, forMs: number) => void;

const crashEngine: Fault = (world, forMs) => {
  if (!world.engine?.alive) return;
  world.crashEngine();
  world.timeline.after(forMs, () => {
    if (!world.engine?.alive) world.startEngine();
  });
};

/** The engine stops without dying; a standby takes over, then the first one wakes up and believes it is still in charge. */
const pauseEngine: Fault = (world, forMs) => {
  const { engine, timeline } = world;
  if (!engine?.alive) return;
  engine.pause();
  timeline.after(forMs / 2, () => {
    if (world.engine === engine) world.startEngine();
  });
  timeline.after(forMs, () => engine.wake());
};

const restartGateway: Fault = (world, forMs) => {
  if (!world.gateway.alive) return;
  world.timeline.log("gateway crashes");
  world.gateway.alive = false;
  world.timeline.after(forMs, () => {
    if (!world.gateway.alive) world.startGateway();
  });
};

const crashWorker: Fault = (world, forMs) => {
  const worker = world.random.pick(world.workers.filter(({ up, exists }) => up && exists));
  if (!worker) return;
  worker.crash();
  world.timeline.after(forMs, () => worker.restart());
};

const cutWorkerOff: Fault = (world, forMs) => {
  const worker = world.random.pick(world.workers.filter(({ exists }) => exists));
  if (!worker) return;
  world.timeline.log(`agent ${shortId(worker.id)} is cut off`);
  world.wire.cutOff.add(worker);
  world.timeline.after(forMs, () => world.wire.cutOff.delete(worker));
};

const loseHost: Fault = (world, forMs) => {
  const worker = world.random.pick(world.workers.filter(({ exists }) => exists));
  if (!worker) return;
  worker.die();
  world.timeline.after(forMs, () => world.addWorker(worker.introduction.cluster));
};

const sendWorkerHome: Fault = (world, forMs) => {
  const worker = world.random.pick(world.workers.filter(({ exists, leaving }) => exists && !leaving));
  if (!worker) return;
  worker.leave();
  world.timeline.after(forMs, () => world.addWorker(worker.introduction.cluster));
};

const changePolicy: Fault = (world) => {
  const cluster = world.random.pick(clusters) ?? "north";
  const access = world.random.chance(0.5) ? "everyone" : "admins";
  world.setPolicy({ cluster, enabled: world.random.chance(0.6), access });
};

const jumpClock: Fault = (world) => {
  const jump = world.random.between(-7_200_000, 7_200_000);
  world.timeline.log(`the clock jumps by ${jump} ms`);
  world.clockOffset += jump;
};

/** How an agent's job fares with its batch system, as somebody there decides. */
const meddleWithJob: Fault = (world) => {
  const worker = world.random.pick(world.workers.filter(({ exists }) => exists));
  const state = world.random.pick(["suspended", "running", "cancelled-by-owner", "held", "running"]) ?? "running";
  if (worker) world.engine?.tellJob(worker.id, state);
};

const faults: readonly Fault[] = [
  crashEngine,
  crashEngine,
  pauseEngine,
  restartGateway,
  crashWorker,
  crashWorker,
  cutWorkerOff,
  loseHost,
  sendWorkerHome,
  changePolicy,
  jumpClock,
  meddleWithJob,
];

/** From now on nothing breaks, and what is broken is repaired. */
function repair(world: World): void {
  const { wire } = world;
  world.timeline.log("faults are over");
  wire.loss = 0;
  wire.repetition = 0;
  wire.slowness = 0;
  wire.cutOff.clear();
  world.slowCommits = 0;
  world.trouble = 0;
  for (const cluster of clusters) world.setPolicy({ cluster, enabled: true, access: "everyone" });
  if (!world.gateway.alive) world.startGateway();
  for (const engine of world.engines) engine.wake();
  if (!world.engine?.alive) world.startEngine();
  for (const worker of world.workers) worker.restart();
  const staying = world.workers.filter(({ exists, leaving }) => exists && !leaving);
  const servesAll = staying.some(({ introduction: { host, slots, owner, cluster } }) => {
    return host.memoryBytes === muchMemory && slots >= 2 && owner === undefined && cluster !== rescue;
  });
  if (!servesAll) world.addWorker("north", muchMemory, 2);
  for (const { id } of staying) world.engine?.tellJob(id, "running");
  resumeHeld(world);
}

/** Somebody looks after what waits for a person, until everything is over. */
function resumeHeld(world: World): void {
  const { model, timeline } = world;
  for (const [run, { changes }] of model.runs) {
    for (const { task, held } of changes.values()) {
      if (held) model.request({ id: simulatedId("command", 10_000 + model.commands.size), run, kind: "resume", task });
    }
  }
  timeline.after(2000, () => resumeHeld(world));
}
