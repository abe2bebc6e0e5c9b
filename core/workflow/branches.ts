/**
 * Conditions on exit codes (GW-13): "runs if task A ended with 3 or 4". Each draws an edge from A. Which codes of a task
 * somebody waits for is what makes them answers instead of failures. Two integers a condition; the sets of codes are
 * those of the templates, shared.
 */
import type { EdgeList } from "./adjacency";
import type { Application } from "./application";
import type { BuildReports } from "./build-reports";
import { tasksByName } from "./dependencies";
import { type ExitCodes, unionOfExits } from "./exit-codes";
import { expandText } from "./expand";
import type { TaskNumbering } from "./numbering";
import { withTaskNumber } from "./run-time-variables";
import type { Condition } from "./workflow";

export interface Branches {
  conditionsOf(task: number): readonly Condition[];
  answersOf(task: number): ExitCodes;
}

const none: readonly Condition[] = [];
const noAnswers: ExitCodes = [];
const without: Branches = { conditionsOf: () => none, answersOf: () => noAnswers };

export function addConditions(
  application: Application,
  numbering: TaskNumbering,
  edges: EdgeList,
  reports: BuildReports,
): Branches {
  if (!application.groups.some(({ task }) => task.when)) return without;
  const owners = tasksByName(numbering);
  const conditions = new Map<number, Condition[]>();
  const answers = new Map<number, ExitCodes>();
  numbering.forEachTask(({ task: { when, at } }) => {
    if (!when) return undefined;
    return (task, bindings) => {
      for (const { task: template, exits } of when) {
        const name = withTaskNumber(expandText(template, bindings), task);
        const before = owners.ownerOf(name);
        if (before === undefined) reports.unknownTask(name, at);
        else if (before === task) reports.waitsForItself(task, at);
        else {
          edges.add(before, task);
          const mine = conditions.get(task);
          if (mine) mine.push({ before, exits });
          else conditions.set(task, [{ before, exits }]);
          const known = answers.get(before);
          if (known !== exits) answers.set(before, known ? unionOfExits(known, exits) : exits);
        }
      }
    };
  });
  return { conditionsOf: (task) => conditions.get(task) ?? none, answersOf: (task) => answers.get(task) ?? noAnswers };
}
