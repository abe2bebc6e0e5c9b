/**
 * A run the engine works on: its stored row unfolded into the workflow, and the plan the reactor gets of it.
 */
import type { RunId } from "@/core/engine/ids";
import type { RunPlan } from "@/core/engine/plan";
import { finalTaskOf, profilesOf } from "@/core/engine/profiles";
import { buildWorkflow } from "@/core/workflow/build";
import { clusterWorkflow } from "@/core/workflow/clustering";
import type { Workflow } from "@/core/workflow/workflow";
import { doneTasks } from "@/server/journal/done-tasks";
import type { StoredRun } from "@/server/journal/recovery";
import { type RunSettings, runSettings } from "./run-settings";

export interface ActiveRun {
  id: RunId;
  name: string;
  settings: RunSettings;
  workflow: Workflow;
  plan: RunPlan;
}

export function unfoldRun(stored: StoredRun): ActiveRun {
  const settings = runSettings.parse(stored.settings);
  const { workflow } = buildWorkflow(stored.application);
  if (workflow.taskCount !== stored.states.length) {
    throw new Error(`its workflow has ${workflow.taskCount} tasks, but it was stored with ${stored.states.length}`);
  }
  const finalTask = finalTaskOf(stored.application, workflow);
  return {
    id: stored.id,
    name: stored.name,
    settings,
    workflow,
    plan: {
      id: stored.id,
      ownerId: stored.ownerId,
      ownerAdmin: stored.ownerAdmin,
      taskCount: workflow.taskCount,
      successors: workflow.successors,
      predecessors: workflow.predecessors,
      doneTasks: doneTasks(stored.application, workflow),
      retries: settings.retries,
      priority: settings.priority,
      reuse: settings.reuse,
      memoryBytes: settings.memoryBytes,
      policies: settings.policies,
      ...profilesOf(stored.application, workflow, settings.binding),
      ...(stored.application.categoryLimits && { categoryLimits: stored.application.categoryLimits }),
      ...(finalTask === undefined ? {} : { finalTask }),
      ...(settings.clustering && settings.clustering.algorithm !== "none"
        ? { unitOf: clusterWorkflow(workflow, { ...settings.clustering, units: true }).clusterOf }
        : {}),
      ...(stored.application.groups.some(({ task }) => task.when ?? task.join)
        ? {
            conditionsOf: (task: number) => workflow.conditionsOf(task),
            isJoin: (task: number) => workflow.template(task).join === true,
          }
        : {}),
      producers: (_task, files) => {
        const producers = files.map((file) => workflow.producerOf(file)).filter((task) => task >= 0);
        return [...new Set(producers)];
      },
    },
  };
}
