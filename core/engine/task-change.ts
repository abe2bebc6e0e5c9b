/** A task becomes particular (particular.ts), or otherwise so: its lane is made anew, and what must last is written down. */
import { leaveShelf } from "./lanes";
import { nothingParticular, type Particular } from "./particular";
import type { Core, Run } from "./state";

/** Its lanes are made anew when they are next asked for. */
export function makeParticular(core: Core, run: Run, task: number, change: Partial<Particular>): Particular {
  const particular = { ...(run.particulars.get(task) ?? nothingParticular), ...change };
  run.particulars.set(task, particular);
  forgetOwnLanes(core, run, task);
  return particular;
}

/** The same, written down: what must outlive the engine. */
export function changeTask(core: Core, run: Run, task: number, change: Partial<Particular>): void {
  const { requirement, rank, held } = makeParticular(core, run, task, change);
  core.ports.journal.append({
    is: "task-change",
    run: run.plan.id,
    task,
    ...(requirement === undefined ? {} : { requirement }),
    ...(rank === undefined ? {} : { rank }),
    held,
    at: core.now(),
  });
}

export function forgetOwnLanes(core: Core, run: Run, task: number): void {
  for (const [key, lane] of run.lanes) {
    if (lane.particularOf !== task || lane.ready.size > 0) continue;
    leaveShelf(core, lane);
    run.lanes.delete(key);
  }
}
