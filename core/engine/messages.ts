/**
 * The message interface between gateways and the engine. A gateway speaks for many agents; everything it says
 * may be repeated and everything it does not hear may be asked for again, because an agent tells its whole
 * inventory in every exchange. Plain JSON, one message a line.
 */
import type { Assignment, Candidate, HostFacts, Progress, RestartSet } from "@/core/protocol/agent";
import type { AgentId, AttemptId, ClusterId } from "./ids";
import type { Facts } from "./live-ad";
import type { Outcome, Usage } from "./outcome";

export type GatewayToEngine =
  | { is: "hello"; gateway: string }
  | ({ is: "agent-joined"; agent: AgentId; cluster: ClusterId; host: HostFacts; slots: number; held: Held[] } & Binding)
  /** Sent when an agent's inventory differs from what the gateway expects of it, and after every (re)connection. */
  | { is: "agent-inventory"; agent: AgentId; held: Held[] }
  /** Heartbeats, batched: these agents were heard of since the last message. */
  | { is: "agents-alive"; agents: AgentId[] }
  /** What the agent's host is like now. */
  | { is: "host-readings"; agent: AgentId; facts: Facts }
  /** The agent said goodbye. Silence is the engine's to judge. */
  | { is: "agent-left"; agent: AgentId }
  | { is: "attempt-started"; agent: AgentId; attempt: AttemptId; epoch: number; at: number }
  /** What is new of an attempt that may move; repeated after every (re)connection. */
  | ({ is: "attempt-progress"; agent: AgentId } & Progress)
  | {
      is: "attempt-ended";
      agent: AgentId;
      attempt: AttemptId;
      epoch: number;
      outcome: Outcome;
      usage: Usage;
      checkpoint?: RestartSet | undefined;
      candidates?: Candidate[] | undefined;
    };

/** What an agent may be given, as its row in the journal says; anything its cluster allows if nothing is said. */
export interface Binding {
  /** This person's tasks only. */
  owner?: string;
  /** This one attempt only (early binding). */
  bound?: AttemptId;
}

/** An attempt an agent knows of, until its outcome is acknowledged. */
export interface Held {
  attempt: AttemptId;
  epoch: number;
}

export type EngineToGateway =
  /** The engine's epoch: a gateway listens only to the highest it has seen. */
  | { is: "welcome"; epoch: number }
  | { is: "assign"; agent: AgentId; assignment: Assignment }
  | { is: "acknowledge"; agent: AgentId; attempt: AttemptId }
  | { is: "cancel"; agent: AgentId; attempt: AttemptId; checkpoint?: boolean | undefined }
  | { is: "discard"; agent: AgentId; attempt: AttemptId }
  /** This agent was given up; it must start again under a new identity. */
  | { is: "refuse-agent"; agent: AgentId }
  /** The engine does not know this agent (it restarted): have it join again. */
  | { is: "who-is"; agent: AgentId };
