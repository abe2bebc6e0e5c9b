/**
 * The live side of the API: one hub for each run that somebody watches, made by the first watcher and dropped
 * with the last, and one stream of "your runs changed" for each home page.
 */

import type { Pool } from "pg";
import type { RunId } from "@/core/engine/ids";
import type { LiveUpdate, StatesSnapshot } from "@/server/api/views";
import { taskStatesSince } from "@/server/journal/queries/task-states-since";
import { pause } from "@/server/pause";
import { RunHub } from "./hub";
import type { Notifications } from "./notifications";

const listIntervalMs = 500;
/** Lists are looked at this often even when nobody called: a notification may have been lost. */
const lookAnywayMs = 15_000;
const mostRememberedOwners = 10_000;

export class LiveRuns {
  private readonly hubs = new Map<RunId, { hub: RunHub; watchers: number }>();
  private readonly owners = new Map<RunId, string>();
  private readonly closing = new AbortController();

  constructor(
    private readonly pool: Pool,
    private readonly notifications: Notifications,
  ) {}

  async *watch(run: RunId, since: number | undefined, signal: AbortSignal): AsyncGenerator<LiveUpdate, void, unknown> {
    const entry = this.enter(run);
    try {
      yield* entry.hub.watch(since, AbortSignal.any([signal, this.closing.signal]));
    } finally {
      this.leave(run, entry);
    }
  }

  async snapshot(run: RunId): Promise<StatesSnapshot | undefined> {
    const found = await taskStatesSince(this.pool, run, -1);
    if (!found) return undefined;
    const { seq, state, counts } = found;
    const states = Buffer.concat(found.chunks.map((chunk) => chunk.states));
    return { seq, state, counts, states: states.toString("base64") };
  }

  /** Yields at once, and then whenever a run of this owner may have changed, at most twice a second. */
  async *changes(owner: string, signal: AbortSignal): AsyncGenerator<void, void, unknown> {
    const ended = AbortSignal.any([signal, this.closing.signal]);
    let changed = true;
    let wake: () => void = () => undefined;
    const mark = () => {
      changed = true;
      wake();
    };
    const unsubscribe = this.notifications.subscribe((run) => {
      if (run === null) mark();
      else
        this.ownerOf(run).then((of) => {
          if (of === owner) mark();
        }, mark);
    });
    const anyway = setInterval(mark, lookAnywayMs);
    const stop = () => wake();
    ended.addEventListener("abort", stop);
    try {
      while (!ended.aborted) {
        if (changed) {
          changed = false;
          yield;
          await pause(listIntervalMs, ended);
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      unsubscribe();
      clearInterval(anyway);
      ended.removeEventListener("abort", stop);
    }
  }

  /** Ends every stream, so that the web server can stop without waiting for browsers. */
  close(): void {
    this.closing.abort();
    for (const { hub } of this.hubs.values()) hub.close();
    this.hubs.clear();
  }

  private enter(run: RunId): { hub: RunHub; watchers: number } {
    let entry = this.hubs.get(run);
    if (!entry) {
      const hub = new RunHub(run, (id, since) => taskStatesSince(this.pool, id, since));
      const unsubscribe = this.notifications.subscribe((changed) => {
        if (changed === null || changed === run) hub.look();
      });
      entry = { hub, watchers: 0 };
      hub.whenClosed(unsubscribe);
      this.hubs.set(run, entry);
    }
    entry.watchers++;
    return entry;
  }

  private leave(run: RunId, entry: { hub: RunHub; watchers: number }): void {
    entry.watchers--;
    if (entry.watchers > 0) return;
    entry.hub.close();
    if (this.hubs.get(run) === entry) this.hubs.delete(run);
  }

  private async ownerOf(run: RunId): Promise<string | undefined> {
    const known = this.owners.get(run);
    if (known !== undefined) return known;
    const { rows } = await this.pool.query<{ owner: string }>("SELECT owner FROM engine.run WHERE id = $1", [run]);
    const owner = rows[0]?.owner;
    if (owner === undefined) return undefined;
    if (this.owners.size >= mostRememberedOwners) this.owners.clear();
    this.owners.set(run, owner);
    return owner;
  }
}
