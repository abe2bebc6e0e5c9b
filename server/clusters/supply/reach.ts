/**
 * How a cluster's hosts reach the portal: straight at its public address, or through the connection to the front end (GW-12), where
 * the front end listens and passes everything on. The tunnel's port is always the same for a cluster and account, because agents that
 * were started before the connection broke, or the portal was restarted, still know it.
 */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { PartConfig } from "@/server/part-config";
import type { RegisteredCluster } from "../cluster-settings";
import type { SshRunner } from "../over-ssh";
import type { Account } from "./agent-rows";

const firstPort = 30_000;
const ports = 20_000;
const longestWaitMs = 60_000;

export type Reach = Pick<PartConfig, "publicUrl" | "host" | "port" | "gatewayPort">;

/** Throws with a sentence if there is no address an agent there could use. */
export function gatewayUrlFor(cluster: RegisteredCluster, account: Account, mark: string, portal: Reach): string {
  const { settings, address } = cluster;
  if (settings.gatewayUrl !== undefined) return settings.gatewayUrl;
  if (settings.reach === "tunnel")
    return `http://${settings.relayHost ?? "127.0.0.1"}:${tunnelPort(cluster, account, mark)}`;
  if (portal.publicUrl !== undefined && !isLoopback(new URL(portal.publicUrl).hostname)) return portal.publicUrl;
  if (!address || isLoopback(address.host)) return `http://127.0.0.1:${portal.gatewayPort}`;
  const everywhere = portal.host === "0.0.0.0" || portal.host === "::";
  if (portal.port > 0 && !everywhere && !isLoopback(portal.host)) {
    return `http://${portal.host.includes(":") ? `[${portal.host}]` : portal.host}:${portal.port}`;
  }
  throw new Error(
    "The portal has no address the cluster's hosts could reach it at: set GRIDLOOM_URL, or let the cluster use a tunnel.",
  );
}

export function tunnelPort({ id }: RegisteredCluster, account: Account, mark: string): number {
  const digest = createHash("sha256")
    .update(JSON.stringify([mark, id, account]))
    .digest();
  return firstPort + (digest.readUInt32BE(0) % ports);
}

/** Keeps the tunnel open as long as the connection is wanted. */
export function keepTunnel(options: {
  runner: SshRunner;
  cluster: RegisteredCluster;
  port: number;
  gatewayPort: number;
  log: Logger;
}): { stop(): void } {
  const { runner, cluster, port, gatewayPort, log } = options;
  const abort = new AbortController();
  const listen = { ...(cluster.settings.relayHost !== undefined && { host: "*" }), port };
  const keep = async () => {
    for (let waitMs = 1000; !abort.signal.aborted; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
      try {
        const lost = new Promise<void>((resolve) => {
          const forget = runner.onLost(() => {
            forget();
            resolve();
          });
          abort.signal.addEventListener("abort", () => resolve(), { once: true });
        });
        await runner.openTunnel({ direction: "from-cluster", listen, to: { host: "127.0.0.1", port: gatewayPort } });
        waitMs = 1000;
        await lost;
      } catch (error) {
        const sentence = error instanceof Error ? error.message : String(error);
        log.warn({ cluster: cluster.id, sentence }, "the tunnel for agents could not be opened");
      }
      await sleep(waitMs, undefined, { ref: false, signal: abort.signal }).catch(() => undefined);
    }
  };
  void keep();
  return { stop: () => abort.abort() };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127\./.test(host);
}
