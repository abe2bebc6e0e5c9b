/**
 * Edges somebody wrote down, by the names of the tasks (DAGMan's PARENT … CHILD, WfFormat's parents). They are drawn
 * beside those that follow from files; a pair of tasks has one edge, however often it is said.
 */
import type { EdgeList } from "./adjacency";
import type { Application } from "./application";
import type { BuildReports } from "./build-reports";
import { NameOwners } from "./name-owners";
import type { TaskNumbering } from "./numbering";
import { taskName } from "./tasks";

export function addDependencies(
  application: Application,
  numbering: TaskNumbering,
  edges: EdgeList,
  reports: BuildReports,
): void {
  const { dependencies = [], finalTask, finalTaskAt } = application;
  if (dependencies.length === 0 && finalTask === undefined) return;
  const owners = tasksByName(numbering);
  for (const { before, after, at } of dependencies) {
    const from = owners.ownerOf(before);
    const to = owners.ownerOf(after);
    if (from === undefined) reports.unknownTask(before, at);
    if (to === undefined && after !== before) reports.unknownTask(after, at);
    if (from === undefined || to === undefined) continue;
    if (from === to) reports.waitsForItself(from, at);
    else edges.add(from, to);
  }
  if (finalTask !== undefined && owners.ownerOf(finalTask) === undefined) reports.unknownTask(finalTask, finalTaskAt);
}

/** Of two tasks with one name, which is an error of its own, either will do. */
export function tasksByName(numbering: TaskNumbering): NameOwners {
  const owners = new NameOwners(numbering.groupCount);
  numbering.forEachTask(({ task: template }) => (task, bindings) => {
    owners.claim(taskName(template, bindings, task), task);
  });
  return owners;
}
