/**
 * Reuse: a task whose command, inputs and environment are those of a task that succeeded before takes its result. The
 * reactor only asks (the answer needs hashes and the database) and keeps the task waiting until the answer is there; a
 * task that has run in this run, or was taken over and turned out to be gone, is not asked for again.
 */
import type { AttemptRef } from "./ids";
import type { OutputFile } from "./outcome";
import { finishTask, settle } from "./progress";
import type { Core } from "./state";
import { TaskState } from "./task-state";

export type ReuseAnswer =
  | { is: "found"; from: AttemptRef; outputs: OutputFile[] }
  /** `changed`: what differs from the last time a task of this name succeeded, if it ever did. */
  | { is: "none"; changed?: string };

export function takeReuseAnswer(core: Core, id: string, task: number, answer: ReuseAnswer): void {
  const run = core.runs.get(id);
  if (!run?.checking.delete(task) || run.phase.is !== "going") return;
  // A predecessor runs again, or the run was killed and retried: it is asked for anew when it is ready.
  if (run.tasks.states[task] !== TaskState.waiting || run.tasks.remaining[task] !== 0) {
    settle(core, run);
    return;
  }
  if (answer.is === "found") {
    const { from, outputs } = answer;
    run.reused.add(task);
    core.ports.journal.append({ is: "reused", run: id, task, from, outputs, at: core.now() });
    core.event(run, "task-reused", { run: from.run, ordinal: from.ordinal, files: outputs.length }, task);
    finishTask(core, run, task);
  } else {
    if (answer.changed !== undefined) core.event(run, "task-not-reused", { changed: answer.changed }, task);
    core.move(run, task, TaskState.ready);
  }
  settle(core, run);
}
