/**
 * A simulated agent: takes attempts, runs as many at a time as its host has slots, and reports. It says goodbye at the end of
 * its lifetime, or when it has had no work for a while; everything else that can happen to it happens without a word, and the engine notices its silence.
 */
import type { AttemptId } from "@/core/engine/ids";
import type { Outcome } from "@/core/engine/outcome";
import { type IdleRules, shouldEnd } from "@/core/engine/overlay";
import type { Timeline } from "@/core/simulation/timeline";
import type { Assigned, EngineDriver } from "./engine-driver";
import { Execution, type ExecutionSite, type Job, type Stage } from "./execution";
import type { FileCache } from "./file-cache";
import type { SimulatedHost } from "./host";
import type { Link } from "./link";

/** What an agent says to the engine. */
export type AgentsEngine = Pick<EngineDriver, "joined" | "left" | "started" | "ended">;

export interface AgentSurroundings {
  readonly timeline: Timeline;
  readonly driver: AgentsEngine;
  readonly cluster: string;
  readonly latencyMs: number;
  readonly link: Link;
  readonly cache: FileCache;
  job(attempt: Assigned): Job;
  entered(attempt: Assigned, stage: Stage): void;
  /** When it ends itself for want of work; undefined: never. */
  readonly idle: IdleRules | undefined;
  /** It has had no work for too long. */
  endsItself(agent: SimulatedAgent): void;
}

export class SimulatedAgent implements ExecutionSite {
  readonly timeline: Timeline;
  readonly link: Link;
  readonly cache: FileCache;
  readonly cluster: string;
  readonly startedAt: number;
  alive = true;
  private readonly executing = new Map<AttemptId, Execution>();
  private readonly waiting: Assigned[] = [];
  private coresUsed = 0;
  private idleSince: number | undefined;

  constructor(
    readonly id: string,
    readonly host: SimulatedHost,
    private readonly around: AgentSurroundings,
  ) {
    this.timeline = around.timeline;
    this.link = around.link;
    this.cache = around.cache;
    this.cluster = around.cluster;
    this.startedAt = this.timeline.now;
    const { name, slots, facts, named } = host;
    const memoryMb = host.kind.memoryMb;
    const memory = memoryMb === undefined ? {} : { memoryBytes: memoryMb * 1024 ** 2 };
    this.say((driver) => driver.joined({ id, cluster: around.cluster, host: name, slots, facts, named, ...memory }));
    this.noteIdle();
  }

  receive(attempt: Assigned): void {
    this.timeline.after(this.around.latencyMs, () => {
      if (!this.alive) return;
      this.waiting.push(attempt);
      this.fillSlots();
    });
  }

  stop(id: AttemptId, report: boolean): void {
    this.timeline.after(this.around.latencyMs, () => {
      if (!this.alive) return;
      const place = this.waiting.findIndex((attempt) => attempt.id === id);
      const [waiting] = place === -1 ? [] : this.waiting.splice(place, 1);
      const execution = this.executing.get(id);
      const attempt = execution?.attempt ?? waiting;
      if (!attempt) return;
      execution?.halt();
      this.release(id);
      if (report) this.say((driver) => driver.ended(this.id, attempt, { is: "cancelled" }, {}));
      this.fillSlots();
    });
  }

  suspend(): void {
    for (const execution of this.executing.values()) execution.suspend();
  }

  resume(): void {
    for (const execution of this.executing.values()) execution.resume();
  }

  /** Everything on it ends with it. */
  end(goodbye: boolean): void {
    this.alive = false;
    for (const execution of this.executing.values()) execution.halt();
    this.executing.clear();
    this.waiting.length = 0;
    if (goodbye) this.say((driver) => driver.left(this.id));
  }

  entered(attempt: Assigned, stage: Stage): void {
    this.around.entered(attempt, stage);
    if (stage === "running") this.say((driver) => driver.started(this.id, attempt));
  }

  ended(attempt: Assigned, outcome: Outcome, usage: { startedAt: number; endedAt: number }): void {
    this.release(attempt.id);
    this.say((driver) => driver.ended(this.id, attempt, outcome, usage));
    this.fillSlots();
  }

  private release(id: AttemptId): void {
    const execution = this.executing.get(id);
    if (!execution) return;
    this.executing.delete(id);
    this.coresUsed -= execution.cores;
  }

  /** In the order they came; a task of several cores waits until all of them are free. */
  private fillSlots(): void {
    for (let attempt = this.waiting[0]; attempt; attempt = this.waiting[0]) {
      const execution = new Execution(attempt, this.around.job(attempt), this);
      if (this.executing.size > 0 && this.coresUsed + execution.cores > this.host.slots) break;
      this.waiting.shift();
      this.executing.set(attempt.id, execution);
      this.coresUsed += execution.cores;
      execution.start();
    }
    this.noteIdle();
  }

  private noteIdle(): void {
    const { idle, endsItself } = this.around;
    if (!idle) return;
    if (this.executing.size + this.waiting.length > 0) {
      this.idleSince = undefined;
      return;
    }
    if (this.idleSince !== undefined) return;
    const since = this.timeline.now;
    this.idleSince = since;
    this.timeline.after(idle.idleMs, () => {
      if (!this.alive || this.idleSince !== since) return;
      const facts = { idleSince: since, cpu: undefined, kept: false };
      if (shouldEnd(facts, idle, this.timeline.now)) endsItself(this);
    });
  }

  private say(what: (driver: AgentsEngine) => void): void {
    const { timeline, driver, latencyMs } = this.around;
    timeline.after(latencyMs, () => what(driver));
  }
}
