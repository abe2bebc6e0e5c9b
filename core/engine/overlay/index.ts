/** The overlay of clients on the grids, seen from outside: how many to ask of each, and when one ends itself. */
export {
  type ClientFacts,
  type CpuWatch,
  defaultIdleRules,
  type EndReason,
  type IdleRules,
  shouldEnd,
  watchCpu,
} from "./idle";
export { type BagDemand, buildOverlay, type GridSupply, type OverlayPlan } from "./overlay";
