/**
 * How far a bag is (GB-3, GB-7): what expressions see as JobsLeft, JobsDone and Tail. The tail has begun when few tasks are
 * unsent; no estimate of resources is needed (GridBot §6.3).
 */
import { defaultTailBelow } from "./policy";
import type { Core, Run } from "./state";
import { TaskState } from "./task-state";

const { waiting, ready, finished, skipped } = TaskState;

/** After the counts of a run changed. */
export function noteProgress(core: Core, run: Run): void {
  const { tasks, policies } = run;
  const { tailBelow = defaultTailBelow } = policies;
  const unsent = tasks.count(waiting) + tasks.count(ready);
  const below = unsent < tailBelow;
  const tail = below || (run.tail && policies.latchTail === true);
  const left = run.plan.taskCount - tasks.count(finished) - tasks.count(skipped);
  for (const { scene } of run.lanes.values()) scene.progress(left, tasks.count(finished), tail);
  if (tail === run.tail) return;
  run.tail = tail;
  // Expressions may look at it: whoever was refused may be welcome now.
  for (const lane of run.lanes.values()) core.forgetOrder(lane.shelf);
  // A small bag is in its tail from the start, which is no news.
  if (tail && run.plan.taskCount >= tailBelow) core.event(run, "tail-begun", { unsent });
}
