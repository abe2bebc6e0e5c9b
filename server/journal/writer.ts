/**
 * The journal writer: commits what the reactor appended, in order, many records at a time.
 *
 *   idle        nothing queued                       → committing  something was appended
 *   committing  one batch on its way                 → committing  it returned, more is queued
 *                                                    → idle        it returned, nothing is queued
 *                                                    → stalled     the database is away
 *   stalled     the same batch is tried again        → committing  the database is back
 *   over        another engine has the lease, or a fault: nothing will ever be released again
 *
 * The next batch is whatever was appended while the last one was being committed, so it grows with the load and
 * a single record waits for nobody. An action queued with `afterCommit` runs once everything appended before it is
 * committed; with nothing before it, once the lease was seen to be ours. So no word of an engine
 * that was replaced while it was paused leaves the process.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { RunId } from "@/core/engine/ids";
import type { Journal } from "@/core/engine/ports";
import type { TroubleKind } from "@/server/portal-trouble";
import { Batch, type Statement, type WrittenRecord } from "./batch";
import { describeTrouble, kindOfTrouble, troubleOf } from "./database-trouble";
import { leaseName } from "./lease";
import { RunNotices } from "./notices";
import { RunPages } from "./pages";

export interface WriterEvents {
  /** Commits fail; pause what would append more. Told again when it turns out to be the disk. */
  onStalled(trouble: TroubleKind, description: string): void;
  onFlowing(): void;
  /** The end of this engine's turn: nothing appended from now on will be kept. */
  onOver(reason: "stale-epoch" | "fault", error: Error): void;
}

export interface WriterStatistics {
  batches: number;
  records: number;
}

type Entry = { record: WrittenRecord } | { action: () => void };

const noticeIntervalMs = 250;
const longestBackoffMs = 3_000;

export class JournalWriter implements Journal {
  readonly statistics: WriterStatistics = { batches: 0, records: 0 };
  private queue: Entry[] = [];
  private readonly dueNotices = new Set<RunId>();
  private readonly runs = new Map<RunId, RunPages>();
  private readonly notices: RunNotices;
  private working?: Promise<void>;
  private batchNumber = 0;
  private client?: pg.Client;
  private isClosing = false;
  private isOver = false;

  constructor(
    private readonly url: string,
    private readonly epoch: number,
    private readonly events: WriterEvents,
    private readonly lease = leaseName,
  ) {
    this.notices = new RunNotices(noticeIntervalMs, (run) => {
      this.dueNotices.add(run);
      this.wake();
    });
  }

  /** Makes a run known with its states as they are stored. Before its first record. */
  openRun(run: RunId, states: Uint8Array, seq: number): void {
    this.runs.set(run, new RunPages(states, seq));
  }

  /** The run ended and the reactor let it go. */
  closeRun(run: RunId): void {
    this.runs.delete(run);
  }

  append(record: WrittenRecord): void {
    this.queue.push({ record });
    this.wake();
  }

  afterCommit(action: () => void): void {
    this.queue.push({ action });
    this.wake();
  }

  /** Entries not yet committed. */
  get backlog(): number {
    return this.queue.length;
  }

  /** Commits what is queued and closes; gives up after `withinMs` if the database does not take it. */
  async close(withinMs: number): Promise<void> {
    this.notices.close();
    this.isClosing = true;
    await Promise.race([this.working, sleep(withinMs, undefined, { ref: false })]);
    this.isOver = true;
    await this.client?.end().catch(() => undefined);
  }

  private wake(): void {
    if (this.working || this.isOver) return;
    this.working = this.work().finally(() => {
      this.working = undefined;
      if (this.hasWork()) this.wake();
    });
  }

  private hasWork(): boolean {
    return this.queue.length > 0 || this.dueNotices.size > 0;
  }

  private async work(): Promise<void> {
    // Whatever the current event still appends belongs into the same batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.hasWork() && !this.isOver) {
      const entries = this.takeEntries();
      try {
        await this.commit(entries);
      } catch (error) {
        // Closed before the database came back: the queue is lost, as in a crash, and nobody heard of it.
        if (this.isOver && this.isClosing) return;
        this.isOver = true;
        const trouble = troubleOf(error);
        this.events.onOver(
          trouble === "stale-epoch" ? trouble : "fault",
          error instanceof Error ? error : new Error(String(error)),
        );
        return;
      }
      for (const entry of entries) if ("action" in entry) entry.action();
    }
  }

  /** Always all of them: what one call of the reactor appended must not be parted. */
  private takeEntries(): Entry[] {
    const entries = this.queue;
    this.queue = [];
    return entries;
  }

  private async commit(entries: Entry[]): Promise<void> {
    const batch = new Batch(this.epoch, (run) => this.pagesOf(run));
    let records = 0;
    for (const entry of entries) {
      if (!("record" in entry)) continue;
      batch.add(entry.record);
      records++;
    }
    const statements = batch.statements();
    const notices = this.noticesWith(batch);
    await this.sendUntilCommitted(statements, notices);
    this.statistics.batches++;
    this.statistics.records += records;
    for (const run of batch.endedRuns) this.notices.forget(run);
  }

  private noticesWith(batch: Batch): RunId[] {
    const now = Date.now();
    const told = new Set(this.dueNotices);
    this.dueNotices.clear();
    for (const run of batch.touchedRuns.keys()) {
      if (batch.endedRuns.has(run) || told.has(run) || this.notices.mayTell(run, now)) told.add(run);
    }
    return [...told];
  }

  private pagesOf(run: RunId): RunPages {
    const pages = this.runs.get(run);
    if (!pages) throw new Error(`the journal was given a record of run ${run}, which is not open`);
    return pages;
  }

  private async sendUntilCommitted(statements: Statement[], notices: RunId[]): Promise<void> {
    const number = ++this.batchNumber;
    let stalled: TroubleKind | undefined;
    for (let backoff = 50; ; backoff = Math.min(backoff * 2, longestBackoffMs)) {
      try {
        await this.send(number, statements, notices);
        break;
      } catch (error) {
        const trouble = troubleOf(error);
        // The answer to an earlier try was lost, but its commit was not.
        if (trouble === "already-committed") break;
        if (trouble !== "passing" || this.isOver) throw error;
        // A disk that is full may bring the server down; it is still the disk.
        const kind = stalled === "disk-full" ? stalled : kindOfTrouble(error);
        if (kind !== stalled) this.events.onStalled(kind, describeTrouble(error));
        stalled = kind;
        await this.dropConnection();
        await sleep(backoff);
      }
    }
    if (stalled) this.events.onFlowing();
  }

  /**
   * One transaction, all statements on their way at once. The first raises if the lease is not ours; then the
   * others fail with it, and the COMMIT at the end rolls back.
   */
  private async send(number: number, statements: Statement[], notices: RunId[]): Promise<void> {
    const client = await this.connection();
    if (statements.length === 0 && notices.length === 0) {
      await client.query({
        name: "check-epoch",
        text: "SELECT engine.check_epoch($1, $2)",
        values: [this.lease, this.epoch],
      });
      return;
    }
    const answers = [
      client.query("BEGIN"),
      client.query({
        name: "enter-batch",
        text: "SELECT engine.enter_batch($1, $2, $3)",
        values: [this.lease, this.epoch, number],
      }),
      ...statements.map((statement) => client.query(statement)),
    ];
    if (notices.length > 0) {
      const text = "SELECT pg_notify('gridloom_run', run) FROM unnest($1::text[]) AS run";
      answers.push(client.query({ name: "notify", text, values: [notices] }));
    }
    const commit = client.query("COMMIT");
    // All are awaited before the first error is thrown, so that none is left without a listener.
    const settled = await Promise.allSettled([...answers, commit]);
    const failure = settled.find((answer) => answer.status === "rejected");
    if (failure) throw failure.reason;
    if ((await commit).command !== "COMMIT") throw new Error("the database rolled a batch back without a reason");
  }

  private async connection(): Promise<pg.Client> {
    if (this.client) return this.client;
    const client = new pg.Client({
      connectionString: this.url,
      pipeline: true,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      // A paused engine must not hold the lease's row locked: the database ends its transaction.
      idle_in_transaction_session_timeout: 4_000,
      application_name: "gridloom journal",
    });
    client.on("error", () => {
      if (this.client === client) this.client = undefined;
    });
    await client.connect();
    this.client = client;
    return client;
  }

  private async dropConnection(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // A server that is gone does not answer the farewell either.
    if (client) await Promise.race([client.end().catch(() => undefined), sleep(500)]);
  }
}
