/** What every clustering algorithm answers: which task goes where, and in which order. */
export interface Assignment {
  /** A cluster for each task; any numbers below the number of tasks, with gaps. */
  clusterOf: Uint32Array;
  /** All tasks, each after those it waits for; a cluster computes its tasks in this order. */
  sequence: Uint32Array;
}
