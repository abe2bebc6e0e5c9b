/** Workload balancing of divisible work, seen from outside. */
export { type CutOptions, cut, makespan, type Share } from "./cut";
export { Estimator, type EstimatorOptions, type Observation } from "./estimator";
export { heterogeneity, rankOf, secondsFor, speedOf, type Worker } from "./model";
export { type ChunkPolicy, chunkFor, nextChunk } from "./self-scheduling";
