/** Edges as they are found, then as compressed adjacency in both directions: two integers an edge each. */
import type { Adjacency } from "./workflow";

export class EdgeList {
  #from: Uint32Array = new Uint32Array(1024);
  #to: Uint32Array = new Uint32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(from: number, to: number): void {
    if (this.#length === this.#from.length) {
      this.#from = grown(this.#from);
      this.#to = grown(this.#to);
    }
    this.#from[this.#length] = from;
    this.#to[this.#length] = to;
    this.#length += 1;
  }

  /** Targets in ascending order for both directions, each once. */
  adjacency(taskCount: number): { successors: Adjacency; predecessors: Adjacency } {
    if (this.#length === 0) {
      const none = { offsets: new Uint32Array(taskCount + 1), targets: new Uint32Array(0) };
      return { successors: none, predecessors: none };
    }
    const from = this.#from.subarray(0, this.#length);
    const to = this.#to.subarray(0, this.#length);
    // Sorting by one end and then transposing twice leaves every list in ascending order, in linear time.
    const successors = withoutRepeats(transpose(group(to, from, taskCount), taskCount));
    return { successors, predecessors: transpose(successors, taskCount) };
  }
}

/** For each key, the values that stand beside it. */
function group(keys: Uint32Array, values: Uint32Array, taskCount: number): Adjacency {
  const offsets = offsetsOf(keys, taskCount);
  const next = offsets.slice();
  const targets = new Uint32Array(values.length);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    targets[next[key]!] = values[i]!;
    next[key]! += 1;
  }
  return { offsets, targets };
}

function transpose(adjacency: Adjacency, taskCount: number): Adjacency {
  const offsets = offsetsOf(adjacency.targets, taskCount);
  const next = offsets.slice();
  const targets = new Uint32Array(adjacency.targets.length);
  for (let task = 0; task < taskCount; task++) {
    for (let i = adjacency.offsets[task]!; i < adjacency.offsets[task + 1]!; i++) {
      const target = adjacency.targets[i]!;
      targets[next[target]!] = task;
      next[target]! += 1;
    }
  }
  return { offsets, targets };
}

/** The targets of a task are in order, so an edge drawn twice stands beside itself. */
function withoutRepeats({ offsets, targets }: Adjacency): Adjacency {
  const taskCount = offsets.length - 1;
  let kept = 0;
  let start = 0;
  for (let task = 0; task < taskCount; task++) {
    const end = offsets[task + 1]!;
    const first = kept;
    for (let e = start; e < end; e++) {
      if (kept === first || targets[kept - 1] !== targets[e]) targets[kept++] = targets[e]!;
    }
    start = end;
    offsets[task + 1] = kept;
  }
  return kept === targets.length ? { offsets, targets } : { offsets, targets: targets.slice(0, kept) };
}

function offsetsOf(keys: Uint32Array, taskCount: number): Uint32Array {
  const offsets = new Uint32Array(taskCount + 1);
  for (const key of keys) offsets[key + 1]! += 1;
  for (let task = 0; task < taskCount; task++) offsets[task + 1]! += offsets[task]!;
  return offsets;
}

function grown(array: Uint32Array): Uint32Array {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}

export function degree(adjacency: Adjacency, task: number): number {
  return adjacency.offsets[task + 1]! - adjacency.offsets[task]!;
}
