/**
 * Writes down what waits for agents, about once a second and only when it changed, for the part that gets agents started on
 * clusters. It is no part of the journal: a demand that is lost is told again with the next change, and an engine that was
 * replaced does not overwrite what its successor told.
 */
import type { Demand } from "@/core/engine/demand";
import type { Pool } from "@/server/journal/pool";

/** More groups than this say nothing new to whoever decides how many agents to start. */
const mostGroups = 2_000;
const everyMs = 1_000;
/** Told again at least this often, so that a reader can tell an old demand from a quiet engine. */
const anywayMs = 15_000;

export class DemandWriter {
  private written = "";
  private writtenAt = 0;
  private lookedAt = 0;
  private busy = false;

  constructor(
    private readonly pool: Pool,
    private readonly epoch: number,
    private readonly demand: () => Demand[],
  ) {}

  tick(now: number): void {
    if (this.busy || now - this.lookedAt < everyMs) return;
    this.lookedAt = now;
    const groups = JSON.stringify(this.demand().slice(0, mostGroups));
    if (groups === this.written && now - this.writtenAt < anywayMs) return;
    this.busy = true;
    this.write(groups)
      .then(() => {
        this.written = groups;
        this.writtenAt = now;
      })
      // The journal's writer says when the database is away; the next turn is due soon.
      .catch(() => undefined)
      .finally(() => {
        this.busy = false;
      });
  }

  private async write(groups: string): Promise<void> {
    await this.pool.query(
      `INSERT INTO engine.demand AS told (one, epoch, at, groups) VALUES (true, $1, now(), $2)
       ON CONFLICT (one) DO UPDATE SET epoch = excluded.epoch, at = excluded.at, groups = excluded.groups
       WHERE told.epoch <= excluded.epoch`,
      [this.epoch, groups],
    );
    await this.pool.query("SELECT pg_notify('gridloom_demand', '')");
  }
}
