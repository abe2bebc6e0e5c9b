/** A cluster's driver with the way to its commands: over SSH with a key, or on the portal's own machine. Whoever opens it closes it. */
import type { ClusterDriver, DriverSettings, RemoteDriverKind } from "./driver";
import { makeDriver } from "./drivers";
import { hereRunner } from "./here";
import { sshRunner } from "./over-ssh";

export interface OpenCluster {
  driver: ClusterDriver;
  close(): Promise<void>;
}

export interface ClusterToOpen {
  driver: RemoteDriverKind;
  address: { host: string; port: number } | null;
  queue: string | null;
  hostKey: string | null;
  settings: {
    environment?: Record<string, string> | undefined;
    parallelEnvironments?: { oneHost?: string | undefined; manyHosts?: string | undefined } | undefined;
  };
}

export function openCluster(cluster: ClusterToOpen, key: { login: string; privateKey: string } | null): OpenCluster {
  const { address, hostKey } = cluster;
  const settings = driverSettings(cluster);
  if (address === null) {
    return { driver: makeDriver(cluster.driver, { runner: hereRunner(), settings }), close: async () => {} };
  }
  if (key === null || hostKey === null) throw new Error("Over SSH a key and the host's key are needed.");
  const runner = sshRunner({ ...address, ...key, hostKey });
  return { driver: makeDriver(cluster.driver, { runner, settings }), close: () => runner.close() };
}

function driverSettings({ queue, settings: { environment, parallelEnvironments } }: ClusterToOpen): DriverSettings {
  const { oneHost, manyHosts } = parallelEnvironments ?? {};
  return {
    ...(queue !== null && { queue }),
    ...(environment && { environment }),
    ...(parallelEnvironments && {
      parallelEnvironments: {
        ...(oneHost !== undefined && { oneHost }),
        ...(manyHosts !== undefined && { manyHosts }),
      },
    }),
  };
}
