/**
 * Listens for PostgreSQL notifications on a connection of its own, and connects again when that breaks. After every
 * (re)connection it wakes once, because what was told meanwhile was told to nobody.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

export class Listener {
  private client?: pg.Client;
  private stopped = false;

  constructor(
    private readonly url: string,
    private readonly channels: readonly string[],
    private readonly onWake: (channel?: string, payload?: string) => void,
  ) {}

  start(): void {
    void this.keepConnected();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.client?.end().catch(() => undefined);
  }

  private async keepConnected(): Promise<void> {
    let backoff = 100;
    while (!this.stopped) {
      try {
        await this.listenUntilBroken(() => {
          backoff = 100;
        });
      } catch {
        // Not reachable: try again below.
      }
      await sleep(backoff, undefined, { ref: false });
      backoff = Math.min(backoff * 2, 3000);
    }
  }

  private async listenUntilBroken(onConnected: () => void): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: 5000,
      keepAlive: true,
      application_name: "gridloom listener",
    });
    const broken = new Promise<void>((resolve) => {
      client.once("end", resolve);
      client.on("error", () => resolve());
    });
    client.on("notification", ({ channel, payload }) => this.onWake(channel, payload));
    try {
      await client.connect();
      this.client = client;
      for (const channel of this.channels) await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      onConnected();
      this.onWake();
      await broken;
    } finally {
      this.client = undefined;
      client.end().catch(() => undefined);
    }
  }
}
