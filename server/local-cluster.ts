/**
 * The cluster `local`: this machine, registered at every start with what it can offer today, and the agent that works
 * on it. The agent is expected (its token's hash in the database) before it is started, like any remote one.
 */

import { localAgentLaunch, type PreparedLocalCluster, prepareLocalCluster } from "./clusters/local";
import type { Home } from "./home";
import { openPool, type Pool } from "./journal/pool";
import { expectAgent } from "./journal/queries/expect-agent";
import type { Launch } from "./supervised-part";

const clusterId = "local";

export class LocalCluster {
  private constructor(
    private readonly home: Home,
    private readonly pool: Pool,
    private readonly prepared: PreparedLocalCluster,
  ) {}

  static async prepare(home: Home, databaseUrl: string, slots: number): Promise<LocalCluster> {
    const prepared = await prepareLocalCluster(home, slots);
    const pool = openPool(databaseUrl, 1);
    try {
      await register(pool, prepared);
    } catch (error) {
      await pool.end();
      throw error;
    }
    return new LocalCluster(home, pool, prepared);
  }

  /** Asked at each start of the agent: one that was given up comes back under a new identity. */
  async launch(gatewayUrl: string, program: string): Promise<Launch> {
    const launch = await localAgentLaunch({ home: this.home, prepared: this.prepared, gatewayUrl, program });
    await expectAgent(this.pool, { id: launch.agent, cluster: clusterId, token: launch.token });
    return launch;
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

/** What an admin decided (enabled, access) stays as it is. */
async function register(pool: Pool, { isolation, isolationNote, slots }: PreparedLocalCluster): Promise<void> {
  await pool.query(
    `INSERT INTO portal.cluster (id, name, driver, isolation, isolation_note, slots)
     VALUES ($1, 'This machine', 'local', $2, $3, $4)
     ON CONFLICT (id) DO UPDATE SET isolation = excluded.isolation, isolation_note = excluded.isolation_note, slots = excluded.slots`,
    [clusterId, isolation, isolationNote, slots.length],
  );
  await pool.query("SELECT pg_notify('gridloom_cluster', $1)", [clusterId]);
}
