/** The supply of agents, seen from outside: what to ask of which cluster now, and which agents to let go. */
export { planSupply, type SupplyPlan, type SupplyQuestion, type SupplyRequest } from "./supply";
export type { Ending } from "./surplus";
export { type SupplyCluster, targetKey } from "./targets";
