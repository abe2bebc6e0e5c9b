/**
 * A run the engine works on: its stored row unfolded into the workflow, and the plan the reactor gets of it.
 */
import type { RunId } from "@/core/engine/ids";
import type { RunPlan } from "@/core/engine/plan";
import { finalTaskOf, profilesOf } from "@/core/engine/profiles";
import type { Application } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";
import { clusterWorkflow } from "@/core/workflow/clustering";
import type { Workflow } from "@/core/workflow/workflow";
import { doneTasks } from "@/server/journal/done-tasks";
import { withAdditions } from "@/server/journal/queries/additions";
import type { StoredRun } from "@/server/journal/recovery";
import { type RunSettings, runSettings } from "./run-settings";

export interface ActiveRun {
  id: RunId;
  ownerId: string;
  ownerAdmin: boolean;
  name: string;
  settings: RunSettings;
  /** With everything that was handed in. */
  application: Application;
  workflow: Workflow;
  plan: RunPlan;
  /** Where each addition begins, and how deep it is: 1 if a task handed it in that was there from the start. */
  spawned: readonly { first: number; depth: number }[];
}

export function unfoldRun(stored: StoredRun): ActiveRun {
  const settings = runSettings.parse(stored.settings);
  const application = withAdditions(stored.application, stored.additions);
  const { workflow } = buildWorkflow(application);
  if (workflow.taskCount !== stored.states.length) {
    throw new Error(`its workflow has ${workflow.taskCount} tasks, but it was stored with ${stored.states.length}`);
  }
  const { id, name, ownerId, ownerAdmin, additions } = stored;
  const base = { id, name, ownerId, ownerAdmin, settings };
  const spawned: { first: number; depth: number }[] = [];
  for (const { task, first } of additions) spawned.push({ first, depth: depthOf({ spawned }, task) + 1 });
  // Tasks that go together are found in what there was at the start; what is added goes by itself.
  const original = additions.length > 0 ? buildWorkflow(stored.application).workflow : workflow;
  const run = { ...base, application, workflow, spawned };
  return { ...run, plan: planOf({ ...run, plan: { unitOf: unitsOf(settings, original) } }, application, workflow) };
}

/** 0 for tasks that were there from the start. */
export function depthOf({ spawned }: Pick<ActiveRun, "spawned">, task: number): number {
  return spawned.findLast(({ first }) => first <= task)?.depth ?? 0;
}

function unitsOf({ clustering }: RunSettings, workflow: Workflow): RunPlan["unitOf"] {
  if (!clustering || clustering.algorithm === "none") return undefined;
  return clusterWorkflow(workflow, { ...clustering, units: true }).clusterOf;
}

/** `of.plan`: the plan before, whose clusters of tasks stay as they are. */
export function planOf(
  of: Omit<ActiveRun, "plan"> & { plan: Pick<RunPlan, "unitOf"> },
  application: Application,
  workflow: Workflow,
): RunPlan {
  const { id, ownerId, ownerAdmin, settings } = of;
  const { unitOf } = of.plan;
  const finalTask = finalTaskOf(application, workflow);
  const says = (what: "when" | "join" | "spawns") => application.groups.some(({ task }) => task[what]);
  return {
    id,
    ownerId,
    ownerAdmin,
    taskCount: workflow.taskCount,
    successors: workflow.successors,
    predecessors: workflow.predecessors,
    doneTasks: doneTasks(application, workflow),
    retries: settings.retries,
    priority: settings.priority,
    reuse: settings.reuse,
    memoryBytes: settings.memoryBytes,
    policies: settings.policies,
    ...profilesOf(application, workflow, settings.binding),
    ...(application.categoryLimits && { categoryLimits: application.categoryLimits }),
    ...(finalTask === undefined ? {} : { finalTask }),
    ...(unitOf && { unitOf }),
    ...((says("when") || says("join")) && {
      conditionsOf: (task: number) => workflow.conditionsOf(task),
      isJoin: (task: number) => workflow.template(task).join === true,
    }),
    ...(says("spawns") && { spawns: (task: number) => workflow.template(task).spawns !== undefined }),
    producers: (_task, files) => {
      const producers = files.map((file) => workflow.producerOf(file)).filter((task) => task >= 0);
      return [...new Set(producers)];
    },
  };
}
