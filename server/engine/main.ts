/**
 * The engine part: waits until it holds the lease, then decides until it is told to stop or another engine takes over.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { kindOfTrouble } from "@/server/journal/database-trouble";
import { acquireLease, holderIdentity, keepLease, releaseLease } from "@/server/journal/lease";
import { openPool } from "@/server/journal/pool";
import { readPartConfig, reportReady, reportTrouble, stopWithSupervisor } from "@/server/part-config";
import { Engine } from "./engine";
import { parseEngineAddress } from "./engine-address";

const standbyPollMs = 250;

const config = readPartConfig();
const log = pino({ name: "engine" });
const pool = openPool(config.databaseUrl);
let engine: Engine | undefined;
let epoch: number | undefined;
let stopping = false;

stopWithSupervisor(async () => {
  stopping = true;
  await engine?.stop(1200);
  if (epoch !== undefined) await releaseLease(pool, epoch);
});

/** Ends at once: closing the socket in an orderly way would remove the path the next engine may already listen on. */
function end(message: string, error?: Error): void {
  log.fatal({ err: error }, message);
  process.exit(1);
}

process.on("uncaughtException", (error) => end("the engine met a fault and starts again from the journal", error));

epoch = await waitForLease();
if (epoch !== undefined) {
  keepLease(pool, epoch, () => end("another engine took over; this one steps down"));
  engine = new Engine({
    pool,
    databaseUrl: config.databaseUrl,
    epoch,
    filesDirectory: config.home.files,
    address: parseEngineAddress(config.engineSocket),
    log,
    onTrouble: reportTrouble,
    onOver: (reason, error) =>
      end(
        reason === "stale-epoch"
          ? "another engine took over; this one steps down"
          : "the journal refused a batch; the engine starts again from the journal",
        error,
      ),
  });
  await engine.start();
  log.info({ epoch }, "the engine decides");
  reportReady();
}

async function waitForLease(): Promise<number | undefined> {
  const holder = holderIdentity();
  let told = false;
  while (!stopping) {
    let reached = true;
    const acquired = await acquireLease(pool, holder).catch((error: Error) => {
      reached = false;
      log.warn(`the database does not answer yet (${error.message})`);
      reportTrouble(kindOfTrouble(error));
      return undefined;
    });
    if (reached) reportTrouble(undefined);
    if (acquired !== undefined) return acquired;
    if (reached && !told) {
      log.info("another engine decides; standing by");
      // A standby does its whole work by being there.
      reportReady();
      told = true;
    }
    await sleep(standbyPollMs);
  }
  return undefined;
}
