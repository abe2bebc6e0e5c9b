/**
 * What a grid file may say (docs/simulation.md has it in words). Times are seconds, sizes bytes unless the name says
 * otherwise, and every time may be a distribution. Everything but names and hosts has a default: a file with three
 * lines is a grid without faults and without distances.
 */
import { z } from "zod";
import { defaultFactory } from "@/core/engine/factory";
import { defaultIdleRules } from "@/core/engine/overlay";
import { distribution } from "./distribution";
import { loadCurve } from "./load-curve";

const name = z.string().min(1).max(200);
const probability = z.number().min(0).max(1);
const count = (most: number) => z.number().int().min(1).max(most);
const value = z.union([z.string().max(1000), z.number(), z.boolean()]);

/** The owner comes back to the machine: the agent is stopped, or its tasks wait until he leaves (GridBot §2). */
const preemption = z.strictObject({
  /** How long the machine is the grid's, from the start and after each return of its owner. */
  free: distribution,
  /** How long the owner stays. */
  busy: distribution,
  action: z.enum(["kill", "suspend"]),
  /** The share of hosts whose owner is there when the simulation begins. */
  busyAtStart: probability.default(0),
});

const failures = z.strictObject({
  /** Time from one failure of the machine to the next, and until it is repaired. Everything on it is lost. */
  hostEvery: distribution.optional(),
  repair: distribution.optional(),
  /** An attempt fails with this probability, after a share of its time drawn evenly. */
  task: probability.default(0),
  /** The share of hosts that fail every task at once (GridBot's black holes), and how long a task lasts there. */
  blackHoles: probability.default(0),
  blackHoleSeconds: distribution.default({ is: "constant", value: 1 }),
});

const host = z.strictObject({
  name,
  description: z.string().optional(),
  /** So many machines of this kind, called `name-1`, `name-2`, … if there are several. */
  count: count(1_000_000).default(1),
  /** Tasks it runs at a time. */
  cores: count(4096).default(1),
  /** A task of s seconds takes s / speed. Drawn once for each machine if it is a distribution. */
  speed: distribution.default({ is: "constant", value: 1 }),
  memoryMb: z.number().gt(0).optional(),
  arch: z.string().max(200).optional(),
  os: z.string().max(200).optional(),
  /** Further attributes for expressions. */
  attributes: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), value).default({}),
  load: loadCurve.optional(),
  preemption: preemption.optional(),
  failures: failures.optional(),
});

const cluster = z.strictObject({
  name,
  description: z.string().optional(),
  /** The grid and the site it belongs to, for expressions; its own name if not given. */
  grid: name.optional(),
  site: name.optional(),
  /** GRAND's distance: 0 the same site, 1 regional, 2 international. */
  distance: z.number().min(0).default(0),
  /** The way to the portal. What travels at the same time shares it; without `bytesPerSecond` files take no time. */
  link: z
    .strictObject({
      latencySeconds: z.number().min(0).default(0),
      bytesPerSecond: z.number().gt(0).optional(),
      /** What a transfer takes before its first byte travels; the latency if not given. */
      transferSeconds: z.number().min(0).optional(),
    })
    .default({ latencySeconds: 0 }),
  /** A file travels once to the cluster and is then there for all its hosts (GR-9). */
  cache: z.boolean().default(true),
  /** How long an agent waits in the cluster's queue before it starts. */
  queue: distribution.default({ is: "constant", value: 0 }),
  /** The most agents that run, and that wait in the queue, at a time, and that are asked for in a minute. */
  limits: z
    .strictObject({
      agents: count(1_000_000).optional(),
      queued: count(1_000_000).optional(),
      perMinute: count(1_000_000).optional(),
    })
    .default({}),
  /** Times in which its gateway refuses every agent. */
  outages: z
    .array(z.strictObject({ from: z.number().min(0), to: z.number().min(0) }))
    .max(1000)
    .default([]),
  /** A dedicated cluster for what failed elsewhere (GridBot §6.5). */
  failover: z.boolean().default(false),
  agents: z
    .strictObject({
      /** An agent says goodbye and ends after this time, and its tasks with it: a batch system's wall time. */
      lifetime: distribution.optional(),
      /** An agent is gone without a word after this time. */
      vanish: distribution.optional(),
    })
    .default({}),
  hosts: z.array(host).min(1).max(10_000),
});

const engine = z.strictObject({
  /** An agent not heard of for so long is given up; heartbeats come three times as often. */
  silentSeconds: z.number().gt(0).default(30),
  /** What committing a decision takes before its message leaves. */
  commitSeconds: z.number().min(0).default(0),
  /** What handing out one task costs a submission manager, and how many there are (GRAND's hierarchy). */
  dispatchSeconds: z.number().min(0).default(0),
  submitters: count(10_000).default(1),
});

export const factoryKinds = ["standing", "simple", "heuristic", "hybrid"] as const;

/** How agents are got (docs/decisions/factory.md). */
const factory = z.strictObject({
  /** `standing`: every cluster has as many as its limits allow, always. The others are the agent factory's. */
  kind: z.enum(factoryKinds).default("heuristic"),
  /** N_WORKERS: the number the simple kind keeps, and the most the others have. */
  agents: count(1_000_000).default(defaultFactory.agents),
  /** MAX_PENDING. */
  maxPending: count(1_000_000).default(defaultFactory.maxPending),
  /** An agent pending for longer is no longer waited for. */
  patienceSeconds: z
    .number()
    .min(0)
    .default(defaultFactory.patienceMs / 1000),
  /** What ended longer ago is forgotten. */
  memorySeconds: z
    .number()
    .gt(0)
    .default(defaultFactory.windowMs / 1000),
  /** An agent without work ends itself after this time. */
  idleSeconds: z
    .number()
    .min(0)
    .default(defaultIdleRules.idleMs / 1000),
  /** Decisions are made at most this often. */
  everySeconds: z.number().gt(0).default(5),
});

export const gridSchema = z.strictObject({
  name,
  description: z.string().optional(),
  engine: engine.prefault({}),
  factory: factory.prefault({}),
  /** Seconds of a task of weight 1, drawn for each task; see durations.ts. */
  runtimes: distribution.optional(),
  clusters: z.array(cluster).min(1).max(1000),
});

export type Grid = z.infer<typeof gridSchema>;
export type GridCluster = Grid["clusters"][number];
export type HostClass = GridCluster["hosts"][number];
export type EngineModel = Grid["engine"];
export type FactoryModel = Grid["factory"];
