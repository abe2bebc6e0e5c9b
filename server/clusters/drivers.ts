/** The driver of each kind of cluster. */
import type { Dialect } from "./batch/dialect";
import { BatchDriver } from "./batch/driver";
import type { CommandRunner } from "./command-runner";
import type { ClusterDriver, DriverSettings, RemoteDriverKind } from "./driver";
import { gridengine } from "./gridengine/dialect";
import { htcondor } from "./htcondor/dialect";
import { lsf } from "./lsf/dialect";
import { pbs } from "./pbs/dialect";
import { PlainHostDriver } from "./plain-host/driver";
import { slurm } from "./slurm/dialect";

export interface DriverOptions {
  runner: CommandRunner;
  settings?: DriverSettings;
  /** How long a probe's job may take to run before the Test is content that it is queued. */
  probeWaitMs?: number;
}

const dialects: Readonly<Record<Exclude<RemoteDriverKind, "ssh">, Dialect>> = { slurm, gridengine, pbs, lsf, htcondor };

/** Translation and parsing are tested against samples from the vendors' documentation; no real system was at hand. */
export const notYetTried: ReadonlySet<RemoteDriverKind> = new Set(["pbs", "lsf", "htcondor"]);

export function makeDriver(kind: RemoteDriverKind, { runner, settings, probeWaitMs }: DriverOptions): ClusterDriver {
  if (kind === "ssh") return new PlainHostDriver(runner, settings);
  return new BatchDriver(dialects[kind], runner, settings, probeWaitMs);
}
