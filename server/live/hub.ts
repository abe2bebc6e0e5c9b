/**
 * One watched run. However many people watch it, its states are read once per change, compared with the
 * copy kept here, and handed on as a small update. Watchers pull: each remembers the sequence number it has, so a slow
 * one simply gets several steps, or, if it fell behind what is remembered, the chunks that changed since.
 */
import type { RunId } from "@/core/engine/ids";
import type { TaskState } from "@/core/engine/task-state";
import { toTaskState } from "@/core/engine/task-table";
import type { LiveUpdate } from "@/server/api/views";
import { chunkSize } from "@/server/journal/pages";
import type { TaskStates } from "@/server/journal/queries/task-states-since";

/** Reads what is newer than a sequence number; nothing if there is no such run. */
export type ReadStates = (run: RunId, since: number) => Promise<TaskStates | undefined>;

/** More changes than this in one chunk travel as the whole chunk, which is then the shorter form. */
const mostSingleChanges = 500;
const rememberedUpdates = 16;
const retryMs = 1_000;
/** Notifications can be lost with their connection; a watched run is looked at this often in any case. */
const lookAnywayMs = 5_000;

export class RunHub {
  private seq = -1;
  private states = new Uint8Array(0);
  /** The sequence number as of which each chunk is known to be unchanged since. */
  private chunkSeqs: number[] = [];
  private head: Pick<LiveUpdate, "state" | "counts" | "startedAt" | "endedAt"> | undefined;
  private readonly recent: { before: number; update: LiveUpdate }[] = [];
  private readonly wakers = new Set<() => void>();
  private reading = false;
  private again = false;
  private gone = false;
  private readonly atClose: (() => void)[] = [];
  private readonly timer: NodeJS.Timeout;
  private retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly run: RunId,
    private readonly read: ReadStates,
  ) {
    this.timer = setInterval(() => this.look(), lookAnywayMs);
    this.timer.unref();
    this.look();
  }

  /** Something may have changed. Calls during a read are remembered as one more read. */
  look(): void {
    if (this.gone) return;
    if (this.reading) {
      this.again = true;
      return;
    }
    this.reading = true;
    this.read(this.run, this.seq).then(
      (found) => {
        this.reading = false;
        if (found) this.take(found);
        else this.close();
        if (this.again) {
          this.again = false;
          this.look();
        }
      },
      () => {
        this.reading = false;
        clearTimeout(this.retry);
        this.retry = setTimeout(() => this.look(), retryMs);
        this.retry.unref();
      },
    );
  }

  whenClosed(action: () => void): void {
    this.atClose.push(action);
  }

  close(): void {
    if (this.gone) return;
    this.gone = true;
    for (const action of this.atClose) action();
    clearInterval(this.timer);
    clearTimeout(this.retry);
    this.wake();
  }

  /** Updates newer than `since` (everything if absent), then each further one until the signal. */
  async *watch(since: number | undefined, signal: AbortSignal): AsyncGenerator<LiveUpdate, void, unknown> {
    let seen = since ?? -1;
    // A number from before a restored backup: start over rather than wait for the run to catch up with it.
    if (this.seq >= 0 && seen > this.seq) seen = -1;
    let first = true;
    while (!signal.aborted && !this.gone) {
      const update = this.next(seen, first);
      if (update) {
        first = false;
        seen = update.seq;
        yield update;
      } else {
        await this.change(signal);
      }
    }
  }

  /** The first answer always comes, so that a watcher who is up to date learns that it is. */
  private next(seen: number, first: boolean): LiveUpdate | undefined {
    if (!this.head) return undefined;
    if (seen > this.seq) return this.changedSince(-1);
    if (seen === this.seq) return first ? { seq: this.seq, ...this.head, ranges: [], changes: [] } : undefined;
    const step = this.recent.find(({ before }) => before === seen);
    return step ? step.update : this.changedSince(seen);
  }

  private changedSince(seen: number): LiveUpdate | undefined {
    if (!this.head) return undefined;
    const ranges: LiveUpdate["ranges"] = [];
    for (let chunk = 0; chunk < this.chunkSeqs.length; chunk++) {
      if (this.chunkSeqs[chunk]! > seen) ranges.push(rangeOf(this.states, chunk));
    }
    return { seq: this.seq, ...this.head, ranges, changes: [] };
  }

  private take(found: TaskStates): void {
    const before = this.seq;
    if (found.seq === before) return;
    const { state, counts, startedAt, endedAt } = found;
    this.head = { state, counts, startedAt, endedAt };
    if (before === -1) {
      this.states = new Uint8Array(found.taskCount);
      this.chunkSeqs = new Array<number>(Math.ceil(found.taskCount / chunkSize)).fill(found.seq);
    } else if (found.taskCount > this.states.length) {
      // Tasks were added while it runs; their chunks came with this reading.
      const longer = new Uint8Array(found.taskCount);
      longer.set(this.states);
      this.states = longer;
    }
    const update: LiveUpdate = { seq: found.seq, ...this.head, ranges: [], changes: [] };
    for (const { chunk, first, states } of found.chunks) {
      const changes = before === -1 ? [] : differences(this.states, first, states);
      this.states.set(states, first);
      this.chunkSeqs[chunk] = found.seq;
      if (changes.length > mostSingleChanges) update.ranges.push(rangeOf(this.states, chunk));
      else update.changes.push(...changes);
    }
    this.seq = found.seq;
    if (before !== -1) {
      this.recent.push({ before, update });
      if (this.recent.length > rememberedUpdates) this.recent.shift();
    }
    this.wake();
  }

  private change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.wakers.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.wakers.add(done);
      signal.addEventListener("abort", done, { once: true });
    });
  }

  private wake(): void {
    for (const waker of [...this.wakers]) waker();
  }
}

function rangeOf(states: Uint8Array, chunk: number): { from: number; states: string } {
  const from = chunk * chunkSize;
  return { from, states: Buffer.from(states.subarray(from, from + chunkSize)).toString("base64") };
}

function differences(before: Uint8Array, first: number, after: Uint8Array): [task: number, state: TaskState][] {
  const changes: [number, TaskState][] = [];
  for (let i = 0; i < after.length; i++) {
    const state = after[i];
    if (state !== undefined && state !== before[first + i]) changes.push([first + i, toTaskState(state)]);
  }
  return changes;
}
