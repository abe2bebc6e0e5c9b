/**
 * The engine a headless run uses: the portal that already runs on this GRIDLOOM_HOME, or one of our own, without pages,
 * for as long as the run takes.
 *
 * The run itself is in the database, so it outlives whoever carries it: when the portal we joined goes away, we
 * become its engine and the run goes on.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { checkoutDirectory } from "@/server/checkout";
import type { Home } from "@/server/home";
import { chooseHome } from "@/server/open-home";
import { runningPortal } from "@/server/portal-lock";
import { type Stack, startStack } from "@/server/stack";
import { readSettings } from "@/server/start-settings";

export interface Portal {
  home: Home;
  databaseUrl: string;
  /** Stops our own; leaves another's alone. */
  close(): Promise<void>;
}

export async function openPortal(say: (line: string) => void, abort: AbortSignal): Promise<Portal> {
  const { home, note } = await chooseHome(checkoutDirectory());
  const other = await readyPortal(home, abort);
  if (other) return { home, databaseUrl: other, close: async () => {} };
  if (note) say(`Note: ${note}`);
  const { databaseUrl, slots } = readSettings(process.env);
  const stack: Stack = await startStack(
    { home, web: false, log: say, ...(databaseUrl && { databaseUrl }), ...(slots !== undefined && { slots }) },
    abort,
  );
  return { home, databaseUrl: stack.databaseUrl, close: () => stack.stop() };
}

/** The database of the portal that runs here; waits for one that is just starting. */
async function readyPortal(home: Home, abort: AbortSignal): Promise<string | undefined> {
  for (;;) {
    abort.throwIfAborted();
    const portal = await runningPortal(home);
    if (!portal) return undefined;
    if (portal.address) return portal.address.databaseUrl;
    await sleep(100);
  }
}
