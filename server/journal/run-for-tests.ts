/**
 * Runs for tests of the journal, the engine and the gateway, without going through a language.
 */
import { randomUUID } from "node:crypto";
import type { RunId } from "@/core/engine/ids";
import type { Application, TaskGroup, Template } from "@/core/workflow/application";
import type { Workflow } from "@/core/workflow/workflow";
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

/** A graph without edges, for tests that only need its size. */
export function independentTasks(taskCount: number): Workflow {
  const none = { offsets: new Uint32Array(taskCount + 1), targets: new Uint32Array(0) };
  return {
    taskCount,
    successors: none,
    predecessors: none,
    class: "independent",
    name: (task) => String(task),
    task: (index) => ({
      index,
      name: String(index),
      command: { is: "exec", executable: "true", arguments: [] },
      inputs: [],
      outputs: [],
      weight: 1,
      done: false,
    }),
    producerOf: () => -1,
    externalInputs: [],
    isTransient: () => false,
    fileCount: 0,
  };
}

export interface RunForTests {
  taskCount?: number;
  application?: Application;
  graph?: Workflow;
  settings?: Partial<RunSettings>;
  inputs?: RunInput[];
}

export async function storeRun(pool: Pool, run: RunForTests): Promise<{ run: RunId }> {
  const taskCount = run.taskCount ?? 4;
  const id = await createRun(pool, {
    id: randomUUID(),
    owner: "cli:test",
    ownerAdmin: true,
    name: "a run of tests",
    format: "gridadl",
    source: "",
    application: run.application ?? {
      groups: [
        { ...taskGroup({ name: "t" }), loops: [{ variable: "i", values: { from: 1, to: taskCount, step: 1 } }] },
      ],
      transient: [],
    },
    graph: run.graph ?? independentTasks(taskCount),
    settings: { ...defaultRunSettings, ...run.settings },
    inputs: run.inputs ?? [],
  });
  return { run: id };
}
