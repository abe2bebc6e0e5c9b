/** Numbers of tasks by state, with zeros for the states nobody names: a further state changes no test. */
import { type TaskStateName, taskStateNames } from "./task-state";

export function countsOf(numbers: Partial<Record<TaskStateName, number>>): number[] {
  return taskStateNames.map((name) => numbers[name] ?? 0);
}
