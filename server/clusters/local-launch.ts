/**
 * The two steps of getting the local agent started: `prepare` finds out what the machine can offer (once per start of the
 * portal), `launch` makes the agent's identity and says how to start it. The supervisor starts it; it then speaks to
 * the gateway like any other agent, with its own token.
 */
import type { Launch } from "@/server/supervised-part";

export interface PreparedCluster {
  isolation: "accounts" | "namespaces" | "none";
  /** For the cluster's page: how tasks are kept apart, and what is lacking, if something is. */
  isolationNote: string;
  slots: PreparedSlot[];
}

export interface PreparedSlot {
  number: number;
  /** The slot's own account. */
  uid?: number;
  gid?: number;
}

/** How to start an agent, who it is, and the token to expect from it. */
export interface AgentLaunch extends Launch {
  agent: string;
  token: string;
  configFile: string;
}
