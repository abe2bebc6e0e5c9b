/**
 * Which task is which: every task has a number from 0, in the order of creation, and from the number follow its
 * group and the values of its loop variables. One integer per task; nothing else is unfolded.
 */
import type { Application, TaskGroup } from "./application";
import type { Bindings } from "./expand";
import { denseStrides, forEachElement, loopValueAt, productSize } from "./loops";

interface NumberedGroup {
  group: TaskGroup;
  first: number;
  strides: readonly number[];
}

export class TaskNumbering {
  readonly taskCount: number;
  readonly #groups: readonly NumberedGroup[];
  readonly #groupOf: Uint32Array;

  constructor(application: Application) {
    let next = 0;
    this.#groups = application.groups.map((group) => {
      const { first, strides } = group.numbering ?? { first: next, strides: denseStrides(group.loops) };
      next += productSize(group.loops);
      return { group, first, strides };
    });
    this.taskCount = next;
    this.#groupOf = new Uint32Array(next);
    this.#groups.forEach((numbered, index) => {
      forEachElement(numbered.group.loops, numbered.strides, numbered.first, (task) => {
        this.#groupOf[task] = index;
      });
    });
  }

  groupOf(task: number): TaskGroup {
    return this.#numbered(task).group;
  }

  /** The values of the task's loop variables. */
  bindings(task: number): Bindings {
    const { group, first, strides } = this.#numbered(task);
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
  forEachGroup(visit: (group: TaskGroup, first: number) => void): void {
    for (const { group, first } of this.#groups) if (productSize(group.loops) > 0) visit(group, first);
  }

  /** Every task, group by group. The bindings are only valid during the call. */
  forEachTask(visit: (group: TaskGroup) => ((task: number, bindings: Bindings) => void) | undefined): void {
    for (const { group, first, strides } of this.#groups) {
      const each = visit(group);
      if (each) forEachElement(group.loops, strides, first, each);
    }
  }

  #numbered(task: number): NumberedGroup {
    const numbered = this.#groups[this.#groupOf[task] ?? -1];
    if (!numbered) throw new RangeError(`there is no task ${task}`);
    return numbered;
  }
}
