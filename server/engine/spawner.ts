/**
 * Tasks that hand in further tasks: the file a succeeded task wrote is read from the store and parsed before the reactor
 * hears of the success, so that what follows from it is decided in one step. Bounded in size, number and depth.
 */
import { readFile } from "node:fs/promises";
import { type AttemptId, type AttemptRef, attemptId, parseAttemptId, type RunId } from "@/core/engine/ids";
import type { GatewayToEngine } from "@/core/engine/messages";
import type { OutputFile } from "@/core/engine/outcome";
import type { Extension } from "@/core/engine/ports";
import { parseWorkflow } from "@/core/languages";
import { hasErrors } from "@/core/problem";
import type { Application } from "@/core/workflow/application";
import { extendWorkflow } from "@/core/workflow/extend";
import type { FileStore } from "@/server/files/store";
import { type ActiveRun, depthOf, planOf } from "./active-run";

export interface SpawnerPorts {
  run(id: RunId): ActiveRun | undefined;
  replace(run: ActiveRun): void;
  store: FileStore;
}

type Ended = Extract<GatewayToEngine, { is: "attempt-ended" }>;
type Handed = { is: "tasks"; application: Application } | { is: "wrong"; problem: string };

const mostBytes = 1024 ** 2;
/** Of one run, by all its tasks together. */
export const mostSpawnedTasks = 10_000;
/** A task that was handed in by one that was handed in …: a loop that forgot to end is found here. */
export const deepestSpawn = 100;

export class TaskSpawner {
  private readonly handed = new Map<AttemptId, Handed>();
  private readonly reading = new Set<AttemptId>();

  constructor(private readonly ports: SpawnerPorts) {}

  /** True if the message has to wait for a file; then `again` delivers it. A repeated report meanwhile is dropped. */
  holdBack(message: Ended, again: () => void): boolean {
    const { attempt, outcome } = message;
    if (outcome.is !== "succeeded" || this.handed.has(attempt)) return false;
    const ref = parseAttemptId(attempt);
    const run = ref && this.ports.run(ref.run);
    if (!ref || !run?.plan.spawns?.(ref.task)) return false;
    if (this.reading.has(attempt)) return true;
    this.reading.add(attempt);
    const name = run.workflow.task(ref.task).spawns;
    void this.read(name ?? "", outcome.outputs).then((handed) => {
      this.reading.delete(attempt);
      this.handed.set(attempt, handed);
      again();
      this.handed.delete(attempt);
    });
    return true;
  }

  private async read(name: string, outputs: readonly OutputFile[]): Promise<Handed> {
    const file = outputs.find((output) => output.name === name);
    if (!file) return { is: "wrong", problem: `The file "${name}" is not among the task's outputs.` };
    if (file.transient) return { is: "wrong", problem: `The file "${name}" is transient and stays on its host.` };
    if (file.size > mostBytes) return { is: "wrong", problem: `The file "${name}" is larger than 1 MB.` };
    let text: string;
    try {
      text = await readFile(this.ports.store.path(file.sha256), "utf8");
    } catch (error) {
      return {
        is: "wrong",
        problem: `The file "${name}" cannot be read: ${error instanceof Error ? error.message : ""}`,
      };
    }
    if (text.trim() === "") return { is: "tasks", application: { groups: [], transient: [] } };
    const { application, problems } = parseWorkflow(text, name);
    const wrong = hasErrors(problems) ? problems.find(({ severity }) => severity === "error") : undefined;
    if (!wrong) return { is: "tasks", application };
    const place = wrong.at ? `, line ${wrong.at.line}, column ${wrong.at.column}` : "";
    return { is: "wrong", problem: `In "${name}"${place}: ${wrong.message}` };
  }

  extend(attempt: AttemptRef): Extension {
    const run = this.ports.run(attempt.run);
    const handed = this.handed.get(attemptId(attempt));
    if (!run || !handed) return { is: "refused", problem: "What it handed in is not there any more." };
    if (handed.is === "wrong") return { is: "refused", problem: handed.problem };
    const addition = handed.application;
    if (addition.finalTask !== undefined || addition.categoryLimits) {
      return { is: "refused", problem: "Tasks that are handed in cannot set limits for the run, or its last task." };
    }
    const depth = depthOf(run, attempt.task) + 1;
    if (depth > deepestSpawn) {
      return {
        is: "refused",
        problem: `Tasks hand in tasks that hand in tasks ${deepestSpawn} times; that is the limit.`,
      };
    }
    const extended = extendWorkflow(run.application, run.workflow, addition);
    if (extended.is === "refused") return extended;
    const { application, workflow } = extended;
    const first = run.workflow.taskCount;
    const original = run.spawned[0]?.first ?? first;
    if (workflow.taskCount - original > mostSpawnedTasks) {
      return { is: "refused", problem: `A run may be given ${mostSpawnedTasks} further tasks; these would be more.` };
    }
    const plan = planOf(run, application, workflow);
    this.ports.replace({ ...run, application, workflow, plan, spawned: [...run.spawned, { first, depth }] });
    return { is: "extended", plan, addition };
  }
}
