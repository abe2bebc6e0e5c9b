/**
 * A priority queue of task numbers in typed arrays that knows where each task stands, so that one whose priority has
 * grown can move up and one in the middle can leave. Highest priority first; then, as Yang and Gerasoulis
 * have it, the task with more successors; then the lower number, so that the same graph always gives the same clusters.
 */
export class TaskHeap {
  readonly #heap: Uint32Array;
  /** Place in the heap plus 1; 0: not in it. */
  readonly #place: Uint32Array;
  readonly #priority: Float64Array;
  readonly #successorOffsets: Uint32Array;
  #size = 0;

  /** Priorities are read from the given array; raise a waiting task's only together with `raised`. */
  constructor(priority: Float64Array, successorOffsets: Uint32Array) {
    this.#heap = new Uint32Array(priority.length);
    this.#place = new Uint32Array(priority.length);
    this.#priority = priority;
    this.#successorOffsets = successorOffsets;
  }

  /** The first task, or -1. */
  get first(): number {
    return this.#size === 0 ? -1 : this.#heap[0]!;
  }

  has(task: number): boolean {
    return this.#place[task] !== 0;
  }

  add(task: number): void {
    this.#rise(this.#size++, task);
  }

  raised(task: number): void {
    this.#rise(this.#place[task]! - 1, task);
  }

  remove(task: number): void {
    const hole = this.#place[task]! - 1;
    const last = this.#heap[--this.#size]!;
    this.#place[task] = 0;
    if (last === task) return;
    this.#sink(hole, last);
    this.#rise(this.#place[last]! - 1, last);
  }

  #rise(from: number, task: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(task, this.#heap[parent]!)) break;
      this.#put(at, this.#heap[parent]!);
      at = parent;
    }
    this.#put(at, task);
  }

  #sink(from: number, task: number): void {
    let at = from;
    for (let child = 2 * at + 1; child < this.#size; child = 2 * at + 1) {
      if (child + 1 < this.#size && this.#before(this.#heap[child + 1]!, this.#heap[child]!)) child += 1;
      if (!this.#before(this.#heap[child]!, task)) break;
      this.#put(at, this.#heap[child]!);
      at = child;
    }
    this.#put(at, task);
  }

  #put(at: number, task: number): void {
    this.#heap[at] = task;
    this.#place[task] = at + 1;
  }

  #before(a: number, b: number): boolean {
    const byPriority = this.#priority[a]! - this.#priority[b]!;
    if (byPriority !== 0) return byPriority > 0;
    const bySuccessors = this.#successorCount(a) - this.#successorCount(b);
    return bySuccessors !== 0 ? bySuccessors > 0 : a < b;
  }

  #successorCount(task: number): number {
    return this.#successorOffsets[task + 1]! - this.#successorOffsets[task]!;
  }
}
