/** The driver of each kind of cluster. */
import type { Dialect } from "./batch/dialect";
import { BatchDriver } from "./batch/driver";
import { ClusterProblem } from "./cluster-problem";
import type { CommandRunner } from "./command-runner";
import type { ClusterDriver, DriverSettings, RemoteDriverKind } from "./driver";
import { gridengine } from "./gridengine/dialect";
import { PlainHostDriver } from "./plain-host/driver";
import { slurm } from "./slurm/dialect";

export interface DriverOptions {
  runner: CommandRunner;
  settings?: DriverSettings;
  /** How long a probe's job may take to run before the Test is content that it is queued. */
  probeWaitMs?: number;
}

const dialects: Partial<Record<RemoteDriverKind, Dialect>> = { slurm, gridengine };

export function makeDriver(kind: RemoteDriverKind, { runner, settings, probeWaitMs }: DriverOptions): ClusterDriver {
  if (kind === "ssh") return new PlainHostDriver(runner, settings);
  const dialect = dialects[kind];
  if (!dialect) throw new ClusterProblem("no-scheduler", `There is no driver for ${kind} yet.`);
  return new BatchDriver(dialect, runner, settings, probeWaitMs);
}
