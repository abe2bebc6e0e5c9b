/**
 * Every command run on a cluster, with what came of it, where people can look (DI-11): the last thousand of each cluster. Written
 * behind the commands' backs: a log that cannot be written delays nothing, and is not worth an error.
 */
import type { ClusterId } from "@/core/engine/ids";
import type { Pool } from "@/server/journal/pool";
import { storableText } from "@/server/journal/storable-text";
import type { CommandRecorder, RanCommand } from "../command-runner";

const kept = 1000;
const mostWaiting = 1000;
const writeEveryMs = 500;
/** Older ones are removed now and then, not with each command. */
const sweepEvery = 100;

export class CommandLog {
  private readonly waiting: { cluster: ClusterId; ran: RanCommand }[] = [];
  private readonly written = new Map<ClusterId, number>();
  private timer?: NodeJS.Timeout;

  constructor(private readonly pool: Pool) {}

  recorder(cluster: ClusterId): CommandRecorder {
    return (ran) => {
      if (this.waiting.length >= mostWaiting) this.waiting.shift();
      this.waiting.push({ cluster, ran });
      this.timer ??= setTimeout(() => void this.write(), writeEveryMs);
    };
  }

  /** Writes what is waiting; for the end. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.write();
  }

  private async write(): Promise<void> {
    this.timer = undefined;
    const rows = this.waiting.splice(0);
    try {
      for (const { cluster, ran } of rows) await this.insert(cluster, ran);
      await this.sweep(rows.map(({ cluster }) => cluster));
    } catch {
      // The database is away: others say so.
    }
  }

  private async insert(cluster: ClusterId, ran: RanCommand): Promise<void> {
    await this.pool.query(
      `INSERT INTO portal.cluster_command (cluster_id, at, purpose, command, exit_code, stdout, stderr, duration_ms)
       SELECT $1, to_timestamp($2::float8 / 1000), $3, $4::text[], $5, $6, $7, $8
       WHERE EXISTS (SELECT FROM portal.cluster WHERE id = $1)`,
      [
        cluster,
        ran.at,
        ran.purpose,
        ran.command.map(storableText),
        ran.exitCode,
        storableText(ran.stdout),
        storableText(ran.stderr),
        Math.round(ran.durationMs),
      ],
    );
  }

  private async sweep(clusters: readonly ClusterId[]): Promise<void> {
    for (const cluster of clusters) {
      const count = (this.written.get(cluster) ?? sweepEvery) + 1;
      this.written.set(cluster, count);
      if (count < sweepEvery) continue;
      this.written.set(cluster, 0);
      await this.pool.query(
        `DELETE FROM portal.cluster_command WHERE cluster_id = $1 AND id <=
           (SELECT id FROM portal.cluster_command WHERE cluster_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)`,
        [cluster, kept],
      );
    }
  }
}
