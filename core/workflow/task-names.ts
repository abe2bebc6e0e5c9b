/** Names that are there twice. Those the system gives are numbers, and different; only a name somebody wrote can be. */
import type { TaskGroup } from "./application";
import type { BuildReports } from "./build-reports";
import type { TaskNumbering } from "./numbering";
import { taskName } from "./tasks";

export function reportDuplicateNames(numbering: TaskNumbering, reports: BuildReports): void {
  let named = 0;
  let unnamed = 0;
  let distinct = true;
  numbering.forEachGroup((group) => {
    if (!group.task.name) unnamed += 1;
    else {
      named += 1;
      distinct &&= hasDistinctNames(group);
    }
  });
  // One loop by itself, its variable in the name: no need to look at a million of them.
  if (named === 0 || (named === 1 && unnamed === 0 && distinct)) return;
  const taskOf = new Map<string, number>();
  numbering.forEachTask((group) => {
    if (!group.task.name) return undefined;
    return (task, bindings) => {
      const name = taskName(group.task, bindings, task);
      const other = taskOf.get(name);
      if (other === undefined) taskOf.set(name, task);
      else reports.duplicateName(name, other, task);
    };
  });
  if (unnamed === 0) return;
  for (const [name, task] of taskOf) {
    const number = /^[1-9]\d{0,9}$/.test(name) ? Number(name) - 1 : task;
    if (number === task || number >= numbering.taskCount) continue;
    if (!numbering.groupOf(number).task.name) reports.duplicateName(name, task, number);
  }
}

function hasDistinctNames({ loops, task }: TaskGroup): boolean {
  const [loop, ...inner] = loops;
  if (!loop) return true;
  const holes = task.name?.filter((piece) => "variable" in piece) ?? [];
  return inner.length === 0 && holes.length === 1 && !Array.isArray(loop.values);
}
