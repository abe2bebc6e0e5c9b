/**
 * The agent: runs tasks on this host for a gateway. Exit codes: 0 stopped, 75 given up by the gateway (its identity is
 * deleted; start it again under a new one), 1 anything else.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Hello, protocolVersion } from "@/core/protocol/agent";
import { namespaceScript } from "@/core/protocol/namespaces";
import { removeAbandoned, touch } from "./abandoned";
import { authoritiesFor } from "./authorities";
import { Cache } from "./cache";
import { type AgentConfig, readConfig } from "./config";
import { Conversation } from "./conversation";
import { GatewayClient } from "./gateway-client";
import { hostFacts, readHost } from "./host-facts";
import { deleteIdentity, readIdentity } from "./identity";
import { closeInheritedDescriptors } from "./inherited-descriptors";
import { AccountsIsolation } from "./isolation/accounts";
import type { Isolation } from "./isolation/isolation";
import { NamespacesIsolation } from "./isolation/namespaces";
import { NoIsolation } from "./isolation/none";
import { Lifetime } from "./lifetime";
import { log, sentenceOf } from "./log";
import { beOnly } from "./only-one";
import { OutcomeJournal } from "./outcome-journal";
import { removeAwkwardTree } from "./remove-tree";
import { chooseShim, installScript } from "./shim-choice";
import { SlotRunner, type Surroundings } from "./slot-runner";
import { Spool } from "./spool";
import { Transfer } from "./transfer";
import { Worker } from "./worker";

const givenUp = 75;
/** Together less than the two seconds a supervisor waits. A batch system waits longer. */
const endTasksMs = 1200;
const farewellMs = 500;
const patientEndTasksMs = 8000;
const patientFarewellMs = 5000;
const readingsEveryMs = 30_000;

async function main(): Promise<number> {
  const startedAt = Date.now();
  closeInheritedDescriptors();
  const config = readConfig(process.argv.slice(2));
  mkdirSync(config.directory, { recursive: true, mode: 0o700 });
  mkdirSync(config.slotsDirectory, { recursive: true, mode: config.isolation === "accounts" ? 0o711 : 0o700 });
  const inDirectory = (name: string) => join(config.directory, name);
  await beOnly(inDirectory("lock"));
  const { agent, token } = readIdentity(config);
  const isolation = await chooseIsolation(config, installScript(inDirectory("namespace.sh"), namespaceScript));

  const host = await hostFacts(config);
  const gateway = new GatewayClient(config.gatewayUrl, token, authoritiesFor(config));
  const around: Surroundings = {
    spool: new Spool(inDirectory("attempts")),
    cache: new Cache(join(config.sharedDirectory ?? config.directory, "cache"), config.cacheBytes),
    transfer: new Transfer(gateway, { packs: config.ephemeral, parallel: config.parallelTransfers }),
    isolation,
    shim: await chooseShim(config.directory, config.slots[0] && isolation.account(config.slots[0])),
    slotsDirectory: config.slotsDirectory,
    hostName: host.name,
    started: () => worker.tellStart(),
  };
  const runners = new Map(config.slots.map((slot) => [slot.number, new SlotRunner(slot, around)]));
  const journal = new OutcomeJournal(inDirectory("outcomes"));
  const worker = new Worker(runners, around, journal, (withinMs) => conversation.tell(withinMs));
  const hello: Hello = {
    protocol: protocolVersion,
    agent,
    host,
    slots: config.slots.length,
    capabilities: ["heartbeat", "live-output", "cancel", "checkpoint", "trusted"],
  };
  const conversation = new Conversation(gateway, hello, () => worker);
  whenToldToStop(() => conversation.stop());
  const lifetime = new Lifetime(config, startedAt, worker, (sentence) => {
    log(`ends: ${sentence}`);
    lifetime.stop();
    void retire(worker, conversation);
  });
  const tell = async () => {
    if (config.ephemeral) touch(config.directory);
    conversation.tellReadings(await readHost(config, lifetime.leftSeconds()), around.cache.runs());
  };
  const readings = setInterval(() => void tell(), readingsEveryMs);
  if (config.ephemeral) void removeAbandoned(config.directory);
  await worker.recall();
  void tell();

  const end = await conversation.run();
  clearInterval(readings);
  lifetime.stop();
  await worker.stop(config.ephemeral ? patientEndTasksMs : endTasksMs);
  if (end === "refused") {
    log("given up by the gateway: everything here is forgotten, start again under a new identity");
    deleteIdentity(config);
    for (const name of ["attempts", "outcomes"]) rmSync(inDirectory(name), { recursive: true, force: true });
    await removeDirectory(config);
    return givenUp;
  }
  if (await conversation.takeLeave(config.ephemeral ? patientFarewellMs : farewellMs)) await removeDirectory(config);
  return 0;
}

async function chooseIsolation(config: AgentConfig, namespaceFile: string): Promise<Isolation> {
  const isolation = isolationOf(config, namespaceFile);
  const obstacle = await isolation.check();
  if (!obstacle) return isolation;
  if (config.isolation !== "as-possible") throw new Error(obstacle);
  log(`${obstacle} They run as this account.`);
  return new NoIsolation();
}

function isolationOf(config: AgentConfig, namespaceFile: string): Isolation {
  switch (config.isolation) {
    case "accounts":
      return new AccountsIsolation(config.slots);
    case "namespaces":
    case "as-possible":
      return new NamespacesIsolation(namespaceFile, config.hide, config.slotsDirectory);
    case "none":
      return new NoIsolation();
  }
}

/** Nothing in it is of use to anybody any more. */
async function removeDirectory({ directory, ephemeral }: AgentConfig): Promise<void> {
  if (!ephemeral) return;
  await removeAwkwardTree(directory).catch((error) => log(`${directory} could not be removed: ${sentenceOf(error)}`));
}

/** Ends what runs while the portal still listens, so that it is acknowledged, then stops. */
async function retire(worker: Worker, conversation: Conversation): Promise<void> {
  await worker.stop(patientEndTasksMs);
  conversation.tell(0);
  for (const until = Date.now() + patientFarewellMs; !worker.isEmpty && Date.now() < until; ) await delay(50);
  conversation.stop();
}

/** SIGTERM, or the end of whoever started us over IPC. Ctrl-C reaches the whole process group and is theirs to judge. */
function whenToldToStop(stop: () => void): void {
  process.on("SIGTERM", stop);
  process.on("disconnect", stop);
  process.on("SIGINT", () => {});
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    log(sentenceOf(error));
    process.exit(1);
  },
);
