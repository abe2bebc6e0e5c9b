/**
 * One attempt on a host.
 *
 *   prolog    its inputs travel
 *   running   it computes, at the speed the host has left for it; stands still while the host's owner is there
 *   epilog    its outputs travel; one that failed has none
 *   over      told to the engine, or stopped
 */
import type { Outcome } from "@/core/engine/outcome";
import type { Random } from "@/core/engine/ports";
import type { Timeline } from "@/core/simulation/timeline";
import { draw } from "./distribution";
import type { Assigned } from "./engine-driver";
import type { FileCache, SizedFile } from "./file-cache";
import type { SimulatedHost } from "./host";
import type { Link } from "./link";

export type Stage = "prolog" | "running" | "epilog" | "ended";

export interface Job {
  readonly seconds: number;
  /** Slots it takes; 1 if not given. */
  readonly cores?: number;
  readonly inputs: readonly SizedFile[];
  readonly outputs: readonly SizedFile[];
  /** Chances of this attempt. */
  readonly random: Random;
}

export interface ExecutionSite {
  readonly timeline: Timeline;
  readonly host: SimulatedHost;
  readonly link: Link;
  readonly cache: FileCache;
  entered(attempt: Assigned, stage: Stage): void;
  ended(attempt: Assigned, outcome: Outcome, times: { startedAt: number; endedAt: number }): void;
}

const failed: Outcome = { is: "failed", reason: "exit-code", exitCode: 1 };
const succeeded: Outcome = { is: "succeeded", outputs: [] };

export class Execution {
  private stage: Stage = "prolog";
  private transfers: { stop(): void } | undefined;
  private startedAt = 0;
  /** Seconds on a host of speed 1. */
  private workLeft = 0;
  private movingSince = 0;
  /** Only the last plan for its end is carried out. */
  private plan = 0;
  private outcome = succeeded;

  constructor(
    readonly attempt: Assigned,
    private readonly job: Job,
    private readonly site: ExecutionSite,
  ) {}

  get cores(): number {
    return this.job.cores ?? 1;
  }

  start(): void {
    this.site.entered(this.attempt, "prolog");
    this.transfers = this.site.cache.fetch(this.job.inputs, () => this.run());
  }

  suspend(): void {
    if (this.stage !== "running") return;
    this.workLeft -= this.site.host.doneBetween(this.movingSince, this.site.timeline.now);
    this.plan += 1;
  }

  resume(): void {
    if (this.stage === "running") this.move();
  }

  /** The agent is gone, or nobody waits for it any more. */
  halt(): void {
    if (this.stage === "ended") return;
    this.plan += 1;
    this.transfers?.stop();
    this.enter("ended");
  }

  private enter(stage: Stage): void {
    this.stage = stage;
    this.site.entered(this.attempt, stage);
  }

  private run(): void {
    const { host, timeline } = this.site;
    this.startedAt = timeline.now;
    this.enter("running");
    this.decideFate();
    if (!host.suspended) this.move();
  }

  private decideFate(): void {
    const { host } = this.site;
    const { seconds, random } = this.job;
    const { failures } = host.kind;
    this.workLeft = seconds;
    if (host.blackHole && failures) {
      this.outcome = failed;
      this.workLeft = draw(failures.blackHoleSeconds, random) * host.speed;
    } else if (failures && random.next() < failures.task) {
      this.outcome = failed;
      this.workLeft = seconds * random.next();
    }
  }

  private move(): void {
    const { host, timeline } = this.site;
    this.movingSince = timeline.now;
    this.plan += 1;
    const { plan } = this;
    timeline.after(host.endOf(Math.max(0, this.workLeft), timeline.now) - timeline.now, () => {
      if (plan === this.plan) this.computed();
    });
  }

  private computed(): void {
    const { timeline, link, cache } = this.site;
    const endedAt = timeline.now;
    if (this.outcome.is !== "succeeded") {
      this.report(endedAt);
      return;
    }
    this.enter("epilog");
    const moving = this.job.outputs.filter(({ bytes }) => !link.isInstant(bytes));
    const bytes = moving.reduce((sum, file) => sum + file.bytes, 0);
    const stored = () => {
      for (const file of moving) cache.keep(file);
      this.report(endedAt);
    };
    if (bytes === 0) stored();
    else this.transfers = link.start(bytes, stored);
  }

  private report(endedAt: number): void {
    this.enter("ended");
    this.site.ended(this.attempt, this.outcome, { startedAt: this.startedAt, endedAt });
  }
}
