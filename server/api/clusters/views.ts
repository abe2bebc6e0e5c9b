/** What the pages know of clusters beyond the list: hosts, agents, commands, keys (never their private half), tests. */
import type { Registration } from "@/core/clusters/registration";
import type { RanCommand } from "@/server/clusters/command-runner";
import type { ProbeStep } from "@/server/clusters/driver";
import type { ClusterView, Role } from "../views";

export interface MadeKeyView {
  id: string;
  /** One line for `authorized_keys`. */
  publicKey: string;
  fingerprint: string;
  createdAt: Date;
}

export interface KeyView {
  login: string;
  fingerprint: string;
  createdAt: Date;
  expiresAt: Date | null;
  expiry: "none" | "later" | "soon" | "expired";
  testedAt: Date | null;
  /** What the last test said. */
  testSentence: string | null;
}

export interface ClusterDetail extends ClusterView {
  /** `host:port`; null: the portal's own machine. */
  address: string | null;
  queue: string | null;
  createdAt: Date;
  fitness: FitnessView | null;
  /** For admins; null for the cluster that registers itself. */
  registration: Registration | null;
  serviceKey: KeyView | null;
  /** How many people gave the portal a key to it; for admins. */
  personalKeys: number | null;
}

/** (running + completed) / total of the agents asked for lately (DI-12). */
export interface FitnessView {
  running: number;
  completed: number;
  pending: number;
  total: number;
  fitness: number;
}

export interface HostView {
  name: string;
  up: boolean;
  cpus: number | null;
  memoryBytes: number | null;
  arch: string | null;
  os: string | null;
  freeCpus: number | null;
  load: number | null;
  freeMemoryBytes: number | null;
  /** Why it is not up, in the scheduler's words. */
  reason: string | null;
  staticAttributes: Attribute[];
  dynamicAttributes: Attribute[];
  discoveredAt: Date | null;
  readAt: Date | null;
}

export interface Attribute {
  name: string;
  value: string;
}

export interface AgentView {
  id: string;
  host: string | null;
  slots: number | null;
  busy: number | null;
  state: "expected" | "joined" | "left" | "refused";
  /** Heard of in the last minute. */
  live: boolean;
  /** Whose tasks only; null: everyone's who may use the cluster. */
  owner: string | null;
  job: string | null;
  jobState: string | null;
  attempt: string | null;
  askedAt: Date;
  lastSeenAt: Date | null;
  endedAt: Date | null;
  endReason: string | null;
  log: string | null;
}

export interface CommandView extends Omit<RanCommand, "at"> {
  id: string;
  at: Date;
}

/** Attempts that ended in each of the last sixty minutes, oldest first. */
export interface ActivityView {
  cluster: string;
  succeeded: number[];
  failed: number[];
}

export interface RemovedCluster {
  id: string;
  name: string;
  driver: string;
  removedAt: Date;
}

/** A test as far as it has got. */
export interface TestView {
  id: string;
  steps: ProbeStep[];
  /** What the host showed; to be stored with the cluster. */
  hostKey: { line: string; fingerprint: string; known: boolean } | null;
  /** Null while it runs. */
  ok: boolean | null;
  /** Why it ended, where no step says it. */
  sentence: string | null;
}

export interface AuditEntry {
  id: string;
  at: Date;
  /** A name if the account still exists. */
  actor: string;
  action: string;
  subject: string;
  subjectName: string | null;
  details: string;
}

export interface PersonView {
  id: string;
  name: string;
  email: string;
  role: Role;
  disabled: boolean;
  createdAt: Date;
}
