/**
 * The reactor's ports over the journal's model. They keep the two promises of core/engine/ports.ts: a batch holds
 * whole calls of the reactor, and a message leaves only after everything appended before it is committed. Commits
 * take time; a crash loses what was not committed, and may or may not lose the batch that was under way.
 */
import type { Clock, JournalRecord, Ports, Random, Reuse, Spawner, ToAgent } from "@/core/engine/ports";
import type { JournalModel } from "./journal-model";
import type { Timeline } from "./timeline";

export interface Surroundings {
  timeline: Timeline;
  model: JournalModel;
  random: Random;
  clock: Clock;
  /** How long the next commit takes. */
  commitMs(): number;
  /** Looks at every record at the moment it is decided. */
  decided(record: JournalRecord): void;
  release(agent: string, message: ToAgent): void;
  /** The journal refused a batch: this engine no longer holds the lease. */
  refused(): void;
}

interface Batch {
  records: JournalRecord[];
  /** What was held back until the records are committed. */
  actions: (() => void)[];
}

export class DurablePorts implements Ports {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal = {
    append: (record: JournalRecord) => this.append(record),
    afterCommit: (action: () => void) => this.afterCommit(action),
  };
  /** Set by the process around the reactor. */
  reuse?: Reuse;
  spawner?: Spawner;
  readonly agents = { send: (agent: string, message: ToAgent) => this.send(agent, message) };
  private gathering: Batch = { records: [], actions: [] };
  private underWay: Batch | undefined;
  /** A commit that the process did not hear of because it was paused. */
  private unheard: (() => void) | undefined;
  private dead = false;
  private paused = false;

  constructor(
    protected readonly around: Surroundings,
    private readonly epoch: number,
  ) {
    this.clock = around.clock;
    this.random = around.random;
  }

  /** Nothing waits to be committed. */
  get settled(): boolean {
    return !this.underWay && this.gathering.records.length === 0;
  }

  private append(record: JournalRecord): void {
    this.around.decided(record);
    this.gathering.records.push(record);
    this.planCommit();
  }

  protected send(agent: string, message: ToAgent): void {
    this.afterCommit(() => this.around.release(agent, message));
  }

  private afterCommit(action: () => void): void {
    this.gathering.actions.push(action);
    this.planCommit();
  }

  crash(commitArrived: boolean): void {
    this.dead = true;
    const undecided = this.unheard === undefined;
    if (this.underWay && undecided && commitArrived) this.around.model.commit(this.epoch, this.underWay.records);
    this.underWay = undefined;
    this.gathering = { records: [], actions: [] };
  }

  pause(): void {
    this.paused = true;
  }

  wake(): void {
    this.paused = false;
    const { unheard } = this;
    this.unheard = undefined;
    unheard?.();
  }

  private planCommit(): void {
    if (this.underWay || this.dead) return;
    const batch: Batch = { records: [], actions: [] };
    this.underWay = batch;
    const { timeline, commitMs } = this.around;
    // The batch is cut when the present call of the reactor is over, never in its middle.
    timeline.after(0, () => {
      if (this.underWay !== batch) return;
      batch.records = this.gathering.records;
      batch.actions = this.gathering.actions;
      this.gathering = { records: [], actions: [] };
      timeline.after(commitMs(), () => this.commit(batch));
    });
  }

  private commit(batch: Batch): void {
    if (this.underWay !== batch) return;
    const accepted = this.around.model.commit(this.epoch, batch.records);
    const heard = () => this.committed(batch, accepted);
    if (this.paused) this.unheard = heard;
    else heard();
  }

  private committed(batch: Batch, accepted: boolean): void {
    if (this.underWay !== batch) return;
    this.underWay = undefined;
    if (!accepted) {
      this.dead = true;
      this.around.refused();
      return;
    }
    for (const action of batch.actions) action();
    if (this.gathering.records.length + this.gathering.actions.length > 0) this.planCommit();
  }
}
