/**
 * Kills parts of a portal with SIGKILL while a run goes on in it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, TestPortal } from "./portal-for-tests";

export interface UnderFire {
  tasks: number;
  /** Each kill: which part, and how long to wait before. */
  kills: { part: string; afterMs: number }[];
  /** The longest the run may take after the last kill. */
  patienceMs: number;
}

export interface Survived extends Account {
  /** Kills that came before the run was over. */
  kills: number;
}

export async function runUnderFire({ tasks, kills, patienceMs }: UnderFire): Promise<Survived> {
  const portal = await TestPortal.start({ web: true });
  try {
    const run = await portal.startFanOut(tasks);
    let killed = 0;
    for (const { part, afterMs } of kills) {
      await sleep(afterMs);
      if (!(await portal.goesOn(run))) break;
      process.kill(await portal.pid(part), "SIGKILL");
      killed += 1;
    }
    return { ...(await portal.settle(run, patienceMs)), kills: killed };
  } finally {
    await portal.stop();
  }
}
