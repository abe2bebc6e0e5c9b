/**
 * Which task is which: every task has a number from 0, in the order of creation, and from the number follow its
 * group and the values of its loop variables. Groups that follow one another are found by their first task; only where
 * loops take turns does every task need an integer of its own.
 */
import type { Application, TaskGroup } from "./application";
import { type Bindings, noBindings } from "./expand";
import { denseStrides, forEachElement, forEachNumber, loopValueAt, productSize } from "./loops";

export interface NumberedGroup {
  readonly group: TaskGroup;
  readonly first: number;
  readonly strides: readonly number[];
}

const noStrides: readonly number[] = [];

export class TaskNumbering {
  readonly taskCount: number;
  readonly #groups: readonly TaskGroup[];
  /** Where each group would begin if all followed one another. */
  readonly #starts: Uint32Array;
  readonly #oneTaskEach: boolean;
  /** Of every task, where some take turns. */
  readonly #groupOf: Uint32Array | undefined;

  constructor(application: Application) {
    this.#groups = application.groups;
    this.#starts = new Uint32Array(this.#groups.length);
    let next = 0;
    let takingTurns = false;
    let oneTaskEach = true;
    this.#groups.forEach((group, index) => {
      this.#starts[index] = next;
      const size = productSize(group.loops);
      next += size;
      if (size !== 1) oneTaskEach = false;
      if (group.numbering) takingTurns = true;
    });
    this.taskCount = next;
    this.#oneTaskEach = oneTaskEach;
    if (!takingTurns) return;
    const groupOf = new Uint32Array(next);
    for (let index = 0; index < this.#groups.length; index++) {
      const { group, first, strides } = this.#numbered(index);
      forEachNumber(group.loops, strides, first, (task) => {
        groupOf[task] = index;
      });
    }
    this.#groupOf = groupOf;
  }

  get groupCount(): number {
    return this.#groups.length;
  }

  groupOf(task: number): TaskGroup {
    return this.#groups[this.#indexOf(task)]!;
  }

  /** The values of the task's loop variables. */
  bindings(task: number): Bindings {
    const { group, first, strides } = this.#numbered(this.#indexOf(task));
    if (group.loops.length === 0) return noBindings;
    let rest = task - first;
    const bindings = new Map<string, string>();
    group.loops.forEach((loop, l) => {
      const position = Math.floor(rest / strides[l]!);
      rest -= position * strides[l]!;
      bindings.set(loop.variable, loopValueAt(loop, position));
    });
    return bindings;
  }

  /** Each group that has tasks, with the number of its first task. */
  forEachGroup(visit: (group: TaskGroup, first: number, numbered: NumberedGroup) => void): void {
    for (let index = 0; index < this.#groups.length; index++) {
      const numbered = this.#numbered(index);
      if (productSize(numbered.group.loops) > 0) visit(numbered.group, numbered.first, numbered);
    }
  }

  /** Every task, group by group. The bindings are only valid during the call. */
  forEachTask(visit: (group: TaskGroup) => ((task: number, bindings: Bindings) => void) | undefined): void {
    for (let index = 0; index < this.#groups.length; index++) {
      const { group, first, strides } = this.#numbered(index);
      const each = visit(group);
      if (each) forEachElement(group.loops, strides, first, each);
    }
  }

  #numbered(index: number): NumberedGroup {
    const group = this.#groups[index]!;
    const { numbering, loops } = group;
    if (numbering) return { group, first: numbering.first, strides: numbering.strides };
    return { group, first: this.#starts[index]!, strides: loops.length === 0 ? noStrides : denseStrides(loops) };
  }

  #indexOf(task: number): number {
    if (!Number.isInteger(task) || task < 0 || task >= this.taskCount) throw new RangeError(`there is no task ${task}`);
    if (this.#groupOf) return this.#groupOf[task]!;
    if (this.#oneTaskEach) return task;
    const starts = this.#starts;
    // The last group that starts here or before: one before it may be empty.
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (starts[middle]! <= task) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
