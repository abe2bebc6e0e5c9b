/**
 * Branching on exit codes (GW-13): whether a task whose predecessors are all over is to run or to be skipped. It runs if
 * every predecessor finished, with an answer it waits for; a join runs if one of them did. What was decided stays so:
 * a predecessor that has to run again and then answers otherwise changes only what has not begun.
 */
import { includesExit } from "@/core/workflow/exit-codes";
import type { Run } from "./state";
import { TaskState } from "./task-state";
import { neighbours } from "./task-table";

export function isTaken(run: Run, task: number): boolean {
  const { plan } = run;
  const predecessors = neighbours(plan.predecessors, task);
  if (predecessors.length === 0) return true;
  const conditions = plan.conditionsOf?.(task) ?? [];
  if (run.tasks.count(TaskState.skipped) === 0 && conditions.length === 0) return true;
  const suits = (predecessor: number): boolean => {
    if (run.tasks.states[predecessor] !== TaskState.finished) return false;
    const answer = run.answers.get(predecessor) ?? 0;
    return conditions.every(({ before, exits }) => before !== predecessor || includesExit(exits, answer));
  };
  return plan.isJoin?.(task) ? predecessors.some(suits) : predecessors.every(suits);
}
