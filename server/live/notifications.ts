/**
 * The one connection of this process that listens. PostgreSQL's NOTIFY carries no data worth trusting, only
 * "look again": so when the connection was lost and is back, every listener is told to look again.
 *
 *   idle ── first subscriber ──▶ connecting ──▶ listening ── connection lost ──▶ (pause) ──▶ connecting
 *   any ── close() ──▶ closed
 */
import pg from "pg";

/** A run's id, or null: anything may have changed. */
export type Listener = (run: string | null) => void;

const channels = ["gridloom_run", "gridloom_command"];
const firstPauseMs = 100;
const longestPauseMs = 5_000;

export class Notifications {
  private readonly listeners = new Set<Listener>();
  private client: pg.Client | undefined;
  private pauseMs = firstPauseMs;
  private timer: NodeJS.Timeout | undefined;
  private mode: "idle" | "connecting" | "listening" | "closed" = "idle";

  constructor(private readonly url: string) {}

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    if (this.mode === "idle") void this.connect();
    return () => this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.mode = "closed";
    clearTimeout(this.timer);
    this.listeners.clear();
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    this.mode = "connecting";
    const client = new pg.Client({ connectionString: this.url, keepAlive: true, connectionTimeoutMillis: 10_000 });
    this.client = client;
    client.on("notification", ({ payload }) => this.tell(payload || null));
    // Both may come for one loss; `lost` acts once per client.
    client.on("error", () => this.lost(client));
    client.on("end", () => this.lost(client));
    try {
      await client.connect();
      for (const channel of channels) await client.query(`LISTEN ${channel}`);
    } catch {
      this.lost(client);
      return;
    }
    if (this.client !== client || this.isClosed()) return;
    this.mode = "listening";
    this.pauseMs = firstPauseMs;
    this.tell(null);
  }

  private lost(client: pg.Client): void {
    if (this.client !== client || this.isClosed()) return;
    this.client = undefined;
    client.end().catch(() => undefined);
    this.mode = "connecting";
    this.timer = setTimeout(() => void this.connect(), this.pauseMs);
    this.timer.unref();
    this.pauseMs = Math.min(longestPauseMs, this.pauseMs * 2);
  }

  private isClosed(): boolean {
    return this.mode === "closed";
  }

  private tell(run: string | null): void {
    for (const listener of this.listeners) listener(run);
  }
}
