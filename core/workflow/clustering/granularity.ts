/**
 * How many tasks a submission manager may be given at once (thesis, F.4.2): as many as its processor and memory can
 * look after within the shares its administrator allows, less those it already has.
 */
export interface ManagerCapacity {
  /** SM_CPU: power of the manager's machine, in MFlops. */
  cpu: number;
  /** CPU_MAX_ALLOWED: the share of it the manager may use, 0 to 1. */
  cpuShare: number;
  /** CPU_PER_TASK: MFlops that looking after one task takes. */
  cpuPerTask: number;
  /** SM_MEM: memory of the manager's machine, in megabytes. */
  memory: number;
  /** MEM_MAX_ALLOWED, 0 to 1. */
  memoryShare: number;
  /** MEM_PER_TASK, in megabytes. */
  memoryPerTask: number;
}

/** SM_MAX_TASKS. Whole tasks: a manager that could look after 7.9 looks after 7. */
export function maximumTasks(capacity: ManagerCapacity): number {
  for (const [name, value] of Object.entries(capacity)) {
    if (!(value >= 0)) throw new RangeError(`The capacity of a manager cannot have ${name} = ${value}.`);
  }
  const byCpu = (capacity.cpu * capacity.cpuShare) / capacity.cpuPerTask;
  const byMemory = (capacity.memory * capacity.memoryShare) / capacity.memoryPerTask;
  const limit = Math.min(byCpu, byMemory);
  // 0/0: nothing is there and nothing is needed; that is room for nobody.
  return Number.isNaN(limit) ? 0 : Math.floor(limit);
}

/** MCG: the largest cluster the manager can take now; 0 if it is full. */
export function maximumClusterGranularity(capacity: ManagerCapacity, currentTasks: number): number {
  return Math.max(0, maximumTasks(capacity) - currentTasks);
}
