/**
 * The ready tasks of one run: a bitmap under a tree of bitmaps, each bit of which says "something is set in the
 * word below". Adding, removing and finding the first cost a handful of word operations whether ten tasks are
 * ready or a million, and a million tasks cost 130 kB. The first in the order of the text goes first.
 */
const bitsPerWord = 32;

export interface ReadyTasks {
  readonly size: number;
  has(task: number): boolean;
  add(task: number): void;
  delete(task: number): void;
  /** -1 if there is none. */
  first(): number;
  /** Room for more tasks. */
  grow(taskCount: number): void;
}

export class ReadyQueue implements ReadyTasks {
  /** levels[0] has a bit a task; the last level is a single word. */
  private levels: Int32Array[] = [];
  private count = 0;

  constructor(taskCount: number) {
    this.makeLevels(taskCount);
  }

  grow(taskCount: number): void {
    const before = this.levels[0]!;
    this.levels = [];
    this.makeLevels(taskCount);
    this.count = 0;
    for (let word = 0; word < before.length; word += 1) {
      for (let bits = before[word]!; bits !== 0; bits &= bits - 1)
        this.add(word * bitsPerWord + 31 - Math.clz32(bits & -bits));
    }
  }

  private makeLevels(taskCount: number): void {
    let words = Math.max(1, taskCount);
    do {
      words = Math.ceil(words / bitsPerWord);
      this.levels.push(new Int32Array(words));
    } while (words > 1);
  }

  get size(): number {
    return this.count;
  }

  has(task: number): boolean {
    return (this.levels[0]![task >>> 5]! & (1 << (task & 31))) !== 0;
  }

  add(task: number): void {
    if (this.has(task)) return;
    this.count += 1;
    let index = task;
    for (const level of this.levels) {
      const word = index >>> 5;
      const before = level[word]!;
      level[word] = before | (1 << (index & 31));
      if (before !== 0) return;
      index = word;
    }
  }

  delete(task: number): void {
    if (!this.has(task)) return;
    this.count -= 1;
    let index = task;
    for (const level of this.levels) {
      const word = index >>> 5;
      const after = level[word]! & ~(1 << (index & 31));
      level[word] = after;
      if (after !== 0) return;
      index = word;
    }
  }

  /** The lowest ready task, or -1. */
  first(): number {
    if (this.count === 0) return -1;
    let index = 0;
    for (let depth = this.levels.length - 1; depth >= 0; depth -= 1) {
      const word = this.levels[depth]![index]!;
      index = index * bitsPerWord + (31 - Math.clz32(word & -word));
    }
    return index;
  }
}

/** For the rarer kinds of tasks of a run: memory for those that are ready only; the first to be ready goes first. */
export class FewReady implements ReadyTasks {
  private readonly tasks = new Set<number>();

  get size(): number {
    return this.tasks.size;
  }

  has(task: number): boolean {
    return this.tasks.has(task);
  }

  add(task: number): void {
    this.tasks.add(task);
  }

  delete(task: number): void {
    this.tasks.delete(task);
  }

  first(): number {
    for (const task of this.tasks) return task;
    return -1;
  }

  grow(): void {}
}
