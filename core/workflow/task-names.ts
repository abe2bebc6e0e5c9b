/** Names that are there twice. Those the system gives are numbers, and different; only a name somebody wrote can be. */
import type { TaskGroup } from "./application";
import type { BuildReports } from "./build-reports";
import { expandText } from "./expand";
import { productSize } from "./loops";
import { NameOwners } from "./name-owners";
import { hasPlaceholder, NamePattern, placeholderBindings } from "./name-pattern";
import type { TaskNumbering } from "./numbering";
import { dependsOnTaskNumber } from "./run-time-variables";
import { taskName } from "./tasks";

/** With more loops than this, comparing each with each costs more than looking at every name. */
const maxPatterns = 100;

export function reportDuplicateNames(numbering: TaskNumbering, reports: BuildReports): void {
  const folded = foldedNames(numbering);
  const owners = new NameOwners(numbering.groupCount);
  numbering.forEachTask((group) => {
    if (!group.task.name || folded.has(group)) return undefined;
    return (task, bindings) => {
      const name = taskName(group.task, bindings, task);
      const owner = owners.claim(name, task);
      if (owner !== task) reports.duplicateName(name, owner, task);
    };
  });
  if (!hasUnnamed(numbering)) return;
  owners.forEach((name, task) => {
    const number = /^[1-9]\d{0,9}$/.test(name) ? Number(name) - 1 : task;
    if (number === task || number >= numbering.taskCount) return;
    if (!numbering.groupOf(number).task.name) reports.duplicateName(name, task, number);
  });
}

/** The loops whose names need no look: all different, and none the name of any other task. */
function foldedNames(numbering: TaskNumbering): ReadonlySet<TaskGroup> {
  const patterns = new Map<TaskGroup, NamePattern>();
  let others = false;
  numbering.forEachGroup((group) => {
    const pattern = patterns.size <= maxPatterns ? patternOf(group) : undefined;
    if (pattern) patterns.set(group, pattern);
    else if (group.task.name) others = true;
  });
  if (patterns.size === 0 || patterns.size > maxPatterns) return new Set();
  const all = [...patterns.values()];
  const meet = all.some((pattern, index) => all.slice(0, index).some((other) => !pattern.isApartFrom(other)));
  if (meet || (hasUnnamed(numbering) && all.some(mayBeNumber))) return new Set();
  return others && namesMeet(numbering, patterns) ? new Set() : new Set(patterns.keys());
}

function patternOf({ loops, task }: TaskGroup): NamePattern | undefined {
  if (!task.name || productSize(loops) < 2 || dependsOnTaskNumber(task.name)) return undefined;
  const bindings = placeholderBindings({ loops });
  if (!bindings || task.name.some((piece) => "text" in piece && hasPlaceholder(piece.text))) return undefined;
  const pattern = NamePattern.of(expandText(task.name, bindings), loops);
  return pattern?.isDistinct ? pattern : undefined;
}

function namesMeet(numbering: TaskNumbering, patterns: ReadonlyMap<TaskGroup, NamePattern>): boolean {
  const all = [...patterns.values()];
  let meet = false;
  numbering.forEachTask((group) => {
    if (meet || !group.task.name || patterns.has(group)) return undefined;
    return (task, bindings) => {
      const name = taskName(group.task, bindings, task);
      meet ||= all.some((pattern) => pattern.positions(name) !== undefined);
    };
  });
  return meet;
}

function mayBeNumber(pattern: NamePattern): boolean {
  return pattern.literals.every((literal) => /^\d*$/.test(literal));
}

function hasUnnamed(numbering: TaskNumbering): boolean {
  let unnamed = false;
  numbering.forEachGroup((group) => {
    if (!group.task.name) unnamed = true;
  });
  return unnamed;
}
