/**
 * The reactor's ports over the journal's model. They keep the two promises of core/engine/ports.ts: a batch holds
 * whole calls of the reactor, and a message leaves only after everything appended before it is committed. Commits
 * take time; a crash loses what was not committed, and may or may not lose the batch that was under way.
 */
import type { Clock, JournalRecord, Ports, Random, ToAgent } from "@/core/engine/ports";
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
  messages: { agent: string; message: ToAgent }[];
}

export class DurablePorts implements Ports {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal = { append: (record: JournalRecord) => this.append(record) };
  readonly agents = { send: (agent: string, message: ToAgent) => this.send(agent, message) };
  private gathering: Batch = { records: [], messages: [] };
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
    this.gathering.messages.push({ agent, message });
    this.planCommit();
  }

  crash(commitArrived: boolean): void {
    this.dead = true;
    const undecided = this.unheard === undefined;
    if (this.underWay && undecided && commitArrived) this.around.model.commit(this.epoch, this.underWay.records);
    this.underWay = undefined;
    this.gathering = { records: [], messages: [] };
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
    const batch: Batch = { records: [], messages: [] };
    this.underWay = batch;
    const { timeline, commitMs } = this.around;
    // The batch is cut when the present call of the reactor is over, never in its middle.
    timeline.after(0, () => {
      if (this.underWay !== batch) return;
      batch.records = this.gathering.records;
      batch.messages = this.gathering.messages;
      this.gathering = { records: [], messages: [] };
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
    for (const { agent, message } of batch.messages) this.around.release(agent, message);
    if (this.gathering.records.length + this.gathering.messages.length > 0) this.planCommit();
  }
}
