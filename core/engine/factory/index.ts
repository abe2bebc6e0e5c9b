/** The agent factory, seen from outside: what became of the agents that were asked for, and what to ask for next. */
export {
  type AgentPlan,
  type AgentRequest,
  defaultFactory,
  type FactoryCluster,
  type FactorySettings,
  type HeldBack,
  planAgents,
  type Question,
} from "./factory";
export {
  agentAsked,
  agentEnded,
  agentStarted,
  type ClusterHistory,
  fitnessOf,
  forget,
  type History,
  restoreHistory,
  type StoredHistory,
  storeHistory,
} from "./history";
