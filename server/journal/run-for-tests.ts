/**
 * Runs for tests of the journal, the engine and the gateway, without going through a language.
 */
import { randomUUID } from "node:crypto";
import type { RunId } from "@/core/engine/ids";
import type { Application, TaskGroup, Template } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";
import { defaultRunSettings, type RunSettings } from "@/server/engine/run-settings";
import type { Pool } from "./pool";
import { createRun, type RunInput } from "./queries/create-run";

export const plain = (text: string): Template => [{ text, quoted: true }];

export interface TaskForTests {
  name: string;
  executable?: string;
  inputs?: string[];
  outputs?: string[];
  done?: boolean;
}

export function taskGroup(task: TaskForTests): TaskGroup {
  return {
    loops: [],
    task: {
      name: plain(task.name),
      executable: plain(task.executable ?? "true"),
      shell: false,
      arguments: [],
      inputs: (task.inputs ?? []).map(plain),
      outputs: (task.outputs ?? []).map(plain),
      weight: 1,
      done: task.done ?? false,
    },
  };
}

export function independentTasks(taskCount: number): Application {
  const loops = [{ variable: "i", values: { from: 1, to: taskCount, step: 1 } }];
  const { task } = taskGroup({ name: "" });
  return { groups: [{ loops, task: { ...task, name: [{ variable: "i", quoted: false }] } }], transient: [] };
}

export interface RunForTests {
  owner?: string;
  taskCount?: number;
  application?: Application;
  settings?: Partial<RunSettings>;
  inputs?: RunInput[];
}

export async function storeRun(pool: Pool, run: RunForTests): Promise<{ run: RunId }> {
  const application = run.application ?? independentTasks(run.taskCount ?? 4);
  const id = await createRun(pool, {
    id: randomUUID(),
    owner: run.owner ?? "cli:test",
    ownerAdmin: true,
    name: "a run of tests",
    format: "gridadl",
    source: "",
    application,
    graph: buildWorkflow(application).workflow,
    settings: { ...defaultRunSettings, ...run.settings },
    inputs: run.inputs ?? [],
  });
  return { run: id };
}
