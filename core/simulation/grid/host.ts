/**
 * A machine of the simulated grid.
 *
 *   available      the cluster may start an agent on it
 *     → down       it fails; everything on it is lost without a word. Repaired → available
 *     → taken      its owner is back and does not share: the same. He leaves → available
 *   An owner who lets tasks wait instead (`suspend`) leaves the machine available and its agent alive, but nothing moves.
 */
import type { Random } from "@/core/engine/ports";
import type { Timeline } from "@/core/simulation/timeline";
import type { SimulatedAgent } from "./agent";
import { type Distribution, draw } from "./distribution";
import type { GridCluster, HostClass } from "./grid-schema";
import { Load } from "./load-curve";

type Preemption = NonNullable<HostClass["preemption"]>;

export interface HostListener {
  becameAvailable(host: SimulatedHost): void;
  /** Down or taken: what runs there is gone. */
  becameUnavailable(host: SimulatedHost): void;
}

export class SimulatedHost {
  readonly name: string;
  readonly slots: number;
  /** Countable things that tasks may ask for: the GPUs its attributes tell of. */
  readonly named: Readonly<Record<string, number>>;
  readonly speed: number;
  readonly load: Load | undefined;
  /** Fails every task at once. */
  readonly blackHole: boolean;
  agent: SimulatedAgent | undefined;
  suspended = false;
  private up = true;
  private taken = false;

  constructor(
    private readonly timeline: Timeline,
    readonly kind: HostClass,
    cluster: GridCluster,
    number: number,
    private readonly random: Random,
    private readonly listener: HostListener,
  ) {
    this.name = kind.count === 1 ? kind.name : `${kind.name}-${number}`;
    this.slots = kind.cores;
    const { Gpus: gpus } = kind.attributes;
    this.named = typeof gpus === "number" ? { Gpus: gpus } : {};
    // A machine that does not compute at all is one that never ends a task.
    this.speed = Math.max(draw(kind.speed, random), 1e-6);
    this.load = kind.load && new Load(kind.load);
    this.blackHole = kind.failures !== undefined && random.next() < kind.failures.blackHoles;
    this.facts = { Name: this.name, ...kindFacts(kind, cluster), Speed: this.speed, ...kind.attributes };
  }

  /** What expressions may ask of it. */
  readonly facts: Readonly<Record<string, string | number | boolean>>;

  get available(): boolean {
    return this.up && !this.taken;
  }

  /** When `seconds` of work on a machine of speed 1 are done, begun now. In milliseconds, like all times here. */
  endOf(seconds: number, start: number): number {
    if (this.load) return this.load.endOf(seconds / this.speed, start / 1000) * 1000;
    return start + (seconds * 1000) / this.speed;
  }

  /** How much of it is done between two times. */
  doneBetween(start: number, end: number): number {
    const seconds = this.load ? this.load.upTo(end / 1000) - this.load.upTo(start / 1000) : (end - start) / 1000;
    return seconds * this.speed;
  }

  /** Failures and the owner's comings and goings begin. */
  live(): void {
    const { failures, preemption } = this.kind;
    if (failures?.hostEvery && failures.repair) this.fail(failures.hostEvery, failures.repair);
    if (!preemption) return;
    if (this.random.next() < preemption.busyAtStart) this.ownerIsBack(preemption);
    else this.ownerComes(preemption);
  }

  private after(time: Distribution, action: () => void): void {
    this.timeline.after(draw(time, this.random) * 1000, action);
  }

  private fail(every: Distribution, repair: Distribution): void {
    this.after(every, () => {
      this.timeline.log(`host ${this.name} fails`);
      this.change(() => {
        this.up = false;
      });
      this.after(repair, () => {
        this.timeline.log(`host ${this.name} is repaired`);
        this.change(() => {
          this.up = true;
        });
        this.fail(every, repair);
      });
    });
  }

  private ownerComes(preemption: Preemption): void {
    this.after(preemption.free, () => this.ownerIsBack(preemption));
  }

  private ownerIsBack(preemption: Preemption): void {
    const { busy, action } = preemption;
    this.timeline.log(`host ${this.name}: its owner is back`);
    this.preempt(action, true);
    this.after(busy, () => {
      this.timeline.log(`host ${this.name}: its owner leaves`);
      this.preempt(action, false);
      this.ownerComes(preemption);
    });
  }

  private preempt(action: "kill" | "suspend", present: boolean): void {
    if (action === "kill") {
      this.change(() => {
        this.taken = present;
      });
      return;
    }
    this.suspended = present;
    if (present) this.agent?.suspend();
    else this.agent?.resume();
  }

  private change(how: () => void): void {
    const before = this.available;
    how();
    if (before && !this.available) this.listener.becameUnavailable(this);
    if (!before && this.available) this.listener.becameAvailable(this);
  }
}

/** What is the same for all hosts of a kind, and known before there is an agent on one. */
export function kindFacts(kind: HostClass, cluster: GridCluster): SimulatedHost["facts"] {
  return {
    Cpus: kind.cores,
    ...(kind.speed.is === "constant" && { Speed: kind.speed.value }),
    Cluster: cluster.name,
    Grid: cluster.grid ?? cluster.name,
    Site: cluster.site ?? cluster.name,
    Distance: cluster.distance,
    ...(kind.memoryMb !== undefined && { Memory: kind.memoryMb }),
    ...(kind.arch !== undefined && { Arch: kind.arch }),
    ...(kind.os !== undefined && { OpSys: kind.os }),
    ...(cluster.failover && { FailOver: true }),
    ...kind.attributes,
  };
}
