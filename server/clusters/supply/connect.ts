/**
 * The way to a cluster under an account: the runner (this machine, or SSH with the account's key and the pinned host key), the driver
 * over it, every command recorded, and the script an agent is started with there. A key is opened here and goes nowhere else.
 */
import type { Logger } from "pino";
import type { Pool } from "@/server/journal/pool";
import type { PartConfig } from "@/server/part-config";
import { type AgentPrograms, publishAgentPrograms } from "../agent-programs";
import { agentScript } from "../agent-script";
import type { RegisteredCluster } from "../cluster-settings";
import { type CredentialVault, findCredential } from "../credentials";
import { type DriverSettings, driverKinds, type RemoteDriverKind } from "../driver";
import { makeDriver } from "../drivers";
import { hereRunner } from "../here";
import { type SshRunner, sshRunner } from "../over-ssh";
import type { Account, NewAgent } from "./agent-rows";
import type { CommandLog } from "./command-log";
import type { OpenedPlace } from "./places";
import { gatewayUrlFor, keepTunnel, tunnelPort } from "./reach";

export interface ConnectionOptions {
  pool: Pool;
  log: Logger;
  vault: CredentialVault;
  commands: CommandLog;
  config: PartConfig;
}

export class Connections {
  private programs: Promise<AgentPrograms> | undefined;

  constructor(private readonly options: ConnectionOptions) {}

  async open(cluster: RegisteredCluster, account: Account): Promise<OpenedPlace> {
    const { commands } = this.options;
    const kind = driverKinds.find((one): one is RemoteDriverKind => one === cluster.driver && one !== "local");
    if (!kind) throw new Error(`There is no driver called ${cluster.driver}.`);
    // Packing takes a moment: it is done by the time the first agent is wanted.
    this.preparePrograms().catch(() => undefined);
    const recorder = commands.recorder(cluster.id);
    const settings = driverSettings(cluster);
    if (!cluster.address) {
      if (kind === "ssh") throw new Error("A plain SSH host needs an address.");
      return { driver: makeDriver(kind, { runner: hereRunner([recorder]), settings }), close: async () => undefined };
    }
    const runner = (await this.sshTo(cluster, account)).recording(recorder);
    const tunnel = this.tunnelFor(cluster, account, runner);
    return {
      driver: makeDriver(kind, { runner, settings }),
      close: async () => {
        tunnel?.stop();
        await runner.close();
      },
    };
  }

  async script(
    cluster: RegisteredCluster,
    agent: NewAgent & { wallSeconds: number; idleSeconds: number },
  ): Promise<string> {
    const { vault, config } = this.options;
    const { id, token, slots, account, wallSeconds, idleSeconds } = agent;
    return agentScript({
      ...{ agent: id, token, cluster: cluster.id, slots, wallSeconds, idleSeconds },
      gatewayUrl: gatewayUrlFor(cluster, account, vault.portalMark, config),
      programs: await this.preparePrograms(),
      account: account === null ? "service" : "own",
      ...(cluster.settings.workDirectory !== undefined && { workDirectory: cluster.settings.workDirectory }),
    });
  }

  private async sshTo(cluster: RegisteredCluster, account: Account): Promise<SshRunner> {
    const { pool, vault } = this.options;
    const { address, hostKey, id } = cluster;
    const found = await findCredential(pool, vault, { cluster: id, user: account }, Date.now());
    if (found.is !== "usable") throw new Error(found.sentence);
    if (!address || hostKey === undefined) {
      throw new Error("The cluster's host key is not known yet; an administrator can accept it on the cluster's page.");
    }
    const { login, material } = found.credential;
    return sshRunner({ host: address.host, port: address.port, login, privateKey: material.privateKey, hostKey });
  }

  private tunnelFor(cluster: RegisteredCluster, account: Account, runner: SshRunner) {
    if (cluster.settings.reach !== "tunnel" || !cluster.enabled) return undefined;
    const { vault, config, log } = this.options;
    const port = tunnelPort(cluster, account, vault.portalMark);
    return keepTunnel({ runner, cluster, port, gatewayPort: config.gatewayPort, log });
  }

  private preparePrograms(): Promise<AgentPrograms> {
    this.programs ??= publishAgentPrograms(this.options.config.home).catch((error: unknown) => {
      this.programs = undefined;
      throw error;
    });
    return this.programs;
  }
}

function driverSettings({ queue, settings }: RegisteredCluster): DriverSettings {
  const { environment, parallelEnvironments } = settings;
  return {
    ...(queue !== undefined && { queue }),
    ...(environment && { environment }),
    ...(parallelEnvironments && { parallelEnvironments }),
  };
}
