/** Clustering, seen from outside. */
export {
  type Clustering,
  type ClusteringAlgorithm,
  type ClusteringOptions,
  clusteringAlgorithms,
  clusterWorkflow,
  defaultGranularity,
} from "./clustering";
export { type ManagerCapacity, maximumClusterGranularity, maximumTasks } from "./granularity";
