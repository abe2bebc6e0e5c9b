import { afterEach, describe, expect, it } from "vitest";
import { TaskState, taskStateNames } from "@/core/engine/task-state";
import type { LiveUpdate } from "@/server/api/views";
import type { TaskStates } from "@/server/journal/queries/task-states-since";
import { RunHub } from "./hub";

/** A run in memory that answers as PostgreSQL does: whole chunks that changed after a sequence number. */
class PretendRun {
  states: Uint8Array;
  private readonly chunkSeqs: number[];
  private seq = 0;
  reads = 0;
  broken = false;

  constructor(tasks: number) {
    this.states = new Uint8Array(tasks);
    this.chunkSeqs = new Array<number>(Math.ceil(tasks / 4096)).fill(0);
  }

  grow(tasks: number) {
    const longer = new Uint8Array(tasks);
    longer.set(this.states);
    this.states = longer;
    while (this.chunkSeqs.length < Math.ceil(tasks / 4096)) this.chunkSeqs.push(this.seq);
  }

  commit(changes: Iterable<[number, number]>) {
    this.seq++;
    for (const [task, state] of changes) {
      this.states[task] = state;
      this.chunkSeqs[Math.floor(task / 4096)] = this.seq;
    }
  }

  readonly read = async (_run: string, since: number): Promise<TaskStates> => {
    this.reads++;
    if (this.broken) throw new Error("the database is away");
    const chunks = this.chunkSeqs.flatMap((seq, chunk) =>
      seq > since
        ? [{ chunk, first: chunk * 4096, states: Buffer.from(this.states.slice(chunk * 4096, (chunk + 1) * 4096)) }]
        : [],
    );
    const { length: taskCount } = this.states;
    return { seq: this.seq, state: "running", taskCount, counts: [], startedAt: null, endedAt: null, chunks };
  };
}

/** What a page does with updates. */
class Watcher {
  readonly states: Uint8Array;
  readonly updates: LiveUpdate[] = [];
  private readonly end = new AbortController();
  private readonly stream: AsyncGenerator<LiveUpdate, void, unknown>;

  constructor(hub: RunHub, tasks: number, since?: number, states?: Uint8Array) {
    this.states = states ?? new Uint8Array(tasks).fill(255);
    this.stream = hub.watch(since, this.end.signal);
  }

  async next(): Promise<LiveUpdate> {
    const { value } = await this.stream.next();
    if (!value) throw new Error("the stream ended");
    for (const { from, states } of value.ranges) this.states.set(Buffer.from(states, "base64"), from);
    for (const [task, state] of value.changes) this.states[task] = state;
    this.updates.push(value);
    return value;
  }

  stop() {
    this.end.abort();
  }
}

let hub: RunHub | undefined;
afterEach(() => hub?.close());

async function settled() {
  await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("a watched run", () => {
  it("begins with everything and goes on with what changed", async () => {
    const run = new PretendRun(5000);
    hub = new RunHub("r", run.read);
    const watcher = new Watcher(hub, 5000);
    expect((await watcher.next()).ranges).toHaveLength(2);
    expect(watcher.states).toEqual(run.states);
    run.commit([
      [7, 2],
      [4999, 1],
    ]);
    hub.look();
    const update = await watcher.next();
    expect(update.changes).toEqual([
      [7, 2],
      [4999, 1],
    ]);
    expect(update.ranges).toEqual([]);
    expect(watcher.states).toEqual(run.states);
  });

  it("tells every state there is, and tasks that were added", async () => {
    const run = new PretendRun(10);
    hub = new RunHub("r", run.read);
    const watcher = new Watcher(hub, 5000);
    await watcher.next();
    run.grow(5000);
    run.commit([
      ...taskStateNames.map((name, task): [number, number] => [task, TaskState[name]]),
      [4999, TaskState.skipped],
    ]);
    hub.look();
    await watcher.next();
    expect([...watcher.states.slice(0, taskStateNames.length)]).toEqual(taskStateNames.map((name) => TaskState[name]));
    expect(watcher.states[4999]).toBe(TaskState.skipped);
  });

  it("is read once for all who watch it", async () => {
    const run = new PretendRun(10);
    hub = new RunHub("r", run.read);
    const watchers = Array.from({ length: 20 }, () => new Watcher(hub!, 10));
    await Promise.all(watchers.map((watcher) => watcher.next()));
    run.commit([[1, 3]]);
    hub.look();
    await Promise.all(watchers.map((watcher) => watcher.next()));
    expect(run.reads).toBe(2);
  });

  it("sends a chunk as a whole when most of it changed", async () => {
    const run = new PretendRun(9000);
    hub = new RunHub("r", run.read);
    const watcher = new Watcher(hub, 9000);
    await watcher.next();
    run.commit(Array.from({ length: 3000 }, (_, task) => [task, 1]));
    hub.look();
    const update = await watcher.next();
    expect(update.ranges.map((range) => range.from)).toEqual([0]);
    expect(update.changes).toEqual([]);
    expect(watcher.states).toEqual(run.states);
  });

  it("gives a watcher that comes back only the chunks that are newer, and tells one that is up to date so", async () => {
    const run = new PretendRun(20_000);
    hub = new RunHub("r", run.read);
    const before = new Watcher(hub, 20_000);
    const { seq } = await before.next();
    before.stop();
    for (let i = 0; i < 40; i++) {
      run.commit([[9000 + i, 3]]);
      hub.look();
      await settled();
    }
    const after = new Watcher(hub, 20_000, seq, before.states);
    const update = await after.next();
    expect(update.ranges.map((range) => range.from)).toEqual([8192]);
    expect(after.states).toEqual(run.states);
    const upToDate = new Watcher(hub, 20_000, update.seq);
    expect(await upToDate.next()).toMatchObject({ seq: update.seq, ranges: [], changes: [] });
  });

  it("gives everything to a watcher whose number is from another life of the database", async () => {
    const run = new PretendRun(10);
    hub = new RunHub("r", run.read);
    const watcher = new Watcher(hub, 10, 999);
    await watcher.next();
    expect(watcher.states).toEqual(run.states);
  });

  it("is caught up with by a slow watcher, with nothing left out", async () => {
    const run = new PretendRun(100);
    hub = new RunHub("r", run.read);
    const watcher = new Watcher(hub, 100);
    await watcher.next();
    for (let task = 0; task < 100; task++) {
      run.commit([[task, (task % 5) + 1]]);
      hub.look();
      await settled();
    }
    while (watcher.updates.at(-1)!.seq < 100) await watcher.next();
    expect(watcher.states).toEqual(run.states);
  });

  it("goes on after the database was away", async () => {
    const run = new PretendRun(10);
    run.broken = true;
    hub = new RunHub("r", run.read);
    const watcher = new Watcher(hub, 10);
    await settled();
    run.broken = false;
    await watcher.next();
    expect(watcher.states).toEqual(run.states);
  });
});
