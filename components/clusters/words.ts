/** The words of clusters, the same on every page. */
import type { RegistrableDriver } from "@/core/clusters/registration";
import type { ClusterView } from "@/server/api/views";
import type { ProbeStep } from "@/server/clusters/driver";

export const driverWords: Record<RegistrableDriver | "local", { title: string; about: string }> = {
  local: { title: "This machine", about: "" },
  ssh: { title: "SSH host", about: "One machine, without a queue: agents are started over SSH." },
  slurm: { title: "Slurm", about: "Agents are jobs of Slurm (sbatch)." },
  gridengine: { title: "Grid Engine", about: "Agents are jobs of Grid Engine (qsub)." },
  pbs: { title: "PBS", about: "Agents are jobs of PBS or Torque (qsub)." },
  lsf: { title: "LSF", about: "Agents are jobs of LSF (bsub)." },
  htcondor: { title: "HTCondor", about: "Agents are jobs of HTCondor (condor_submit)." },
};

export function driverTitle(driver: string): string {
  return Object.entries(driverWords).find(([name]) => name === driver)?.[1].title ?? driver;
}

export const policyWords: Record<ClusterView["accountPolicy"], { title: string; about: string }> = {
  own: {
    title: "Each person's own account",
    about: "Everybody gives the portal a key of their own; their tasks run under their account there.",
  },
  service: {
    title: "A service account",
    about: "One account for all. Each job still carries the name of the person it works for.",
  },
  either: {
    title: "Own account, else the service account",
    about: "People who gave a key use their own account; all others share the service account.",
  },
};

export const stepWords: Record<ProbeStep["step"], string> = {
  connect: "Connect",
  authenticate: "Authenticate",
  scheduler: "Find the scheduler",
  submit: "Submit a probe",
  "read-back": "Read it back",
};

export const stepNames = ["connect", "authenticate", "scheduler", "submit", "read-back"] as const;

export type ClusterState = "ready" | "off" | "draining" | "trouble" | "waiting";

/** In one word, and how serious it is. */
export function stateOf(cluster: Pick<ClusterView, "enabled" | "draining" | "agents" | "health">): {
  state: ClusterState;
  word: string;
} {
  if (!cluster.enabled) return { state: "off", word: "Switched off" };
  if (cluster.draining) return { state: "draining", word: "Draining" };
  if (cluster.health && !cluster.health.ok) return { state: "trouble", word: "In trouble" };
  if (cluster.agents > 0) return { state: "ready", word: "Ready" };
  return cluster.health ? { state: "ready", word: "Ready, no agent yet" } : { state: "waiting", word: "No agent" };
}
