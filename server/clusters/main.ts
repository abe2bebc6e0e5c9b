/**
 * The clusters part: gets agents started on registered clusters. It is a process of its own so that an SSH connection that hangs, or a
 * scheduler that answers with a hundred megabytes, harms nobody but itself. One of them works at a time; another one waits.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { acquireLease, holderIdentity, keepLease, releaseLease } from "@/server/journal/lease";
import { Listener } from "@/server/journal/listener";
import { openPool } from "@/server/journal/pool";
import { readPartConfig, reportReady, stopWithSupervisor } from "@/server/part-config";
import { CredentialVault } from "./credentials";
import { CommandLog } from "./supply/command-log";
import { Connections } from "./supply/connect";
import { Supply } from "./supply/supply";

const leaseName = "clusters";
const waitMs = 1000;

const config = readPartConfig();
const log = pino({ name: "clusters" });
const pool = openPool(config.databaseUrl, 6);
const commands = new CommandLog(pool);
let supply: Supply | undefined;
let listener: Listener | undefined;
let epoch: number | undefined;
let stopping = false;

stopWithSupervisor(async () => {
  stopping = true;
  await listener?.stop();
  await supply?.stop();
  await commands.close();
  if (epoch !== undefined) await releaseLease(pool, epoch, leaseName);
});

reportReady();
const vault = await CredentialVault.open(config.home);
epoch = await waitForLease();
if (epoch !== undefined) {
  keepLease(
    pool,
    epoch,
    () => {
      log.fatal("another process looks after the clusters now; this one steps down");
      process.exit(1);
    },
    leaseName,
  );
  const connections = new Connections({ pool, log, vault, commands, config });
  supply = new Supply({
    pool,
    log,
    portalMark: vault.portalMark,
    makePlace: (cluster, account) => connections.open(cluster, account),
    scriptFor: (cluster, agent) => connections.script(cluster, agent),
  });
  supply.start();
  listener = new Listener(config.databaseUrl, ["gridloom_demand", "gridloom_cluster"], () => supply?.wake());
  listener.start();
}

async function waitForLease(): Promise<number | undefined> {
  const holder = holderIdentity();
  while (!stopping) {
    const acquired = await acquireLease(pool, holder, leaseName).catch((error: Error) => {
      log.warn(`the database does not answer (${error.message})`);
      return undefined;
    });
    if (acquired !== undefined) return acquired;
    await sleep(waitMs);
  }
  return undefined;
}
