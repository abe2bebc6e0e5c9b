/**
 * The kinds of tasks an application has, for scheduling: tasks whose templates ask for the same share a profile, so that a
 * million tasks given one by one are still one bag.
 */
import type { AdaptiveTemplate } from "@/core/workflow/adaptive";
import type { Application, TaskTemplate } from "@/core/workflow/application";
import { softwareMarks } from "@/core/workflow/needs";
import { bothHold } from "@/core/workflow/tasks";
import type { Workflow } from "@/core/workflow/workflow";
import type { AdaptiveProfile, TaskProfile } from "./plan";

export interface Profiles {
  profiles: TaskProfile[];
  profileOf(task: number): number;
}

/** `binding`: of tasks that do not say it themselves. */
export function profilesOf(application: Application, workflow: Workflow, binding: "early" | "late" = "late"): Profiles {
  const profiles: TaskProfile[] = [];
  const byText = new Map<string, number>();
  const byTemplate = new Map<TaskTemplate, number>();
  for (const { task } of application.groups) {
    const profile = profileOf(application, task, binding);
    const text = JSON.stringify(profile);
    let index = byText.get(text);
    if (index === undefined) {
      index = profiles.length;
      profiles.push(profile);
      byText.set(text, index);
    }
    byTemplate.set(task, index);
  }
  return {
    profiles: profiles.length > 0 ? profiles : [{}],
    profileOf: profiles.length > 1 ? (task) => byTemplate.get(workflow.template(task)) ?? 0 : () => 0,
  };
}

function profileOf(application: Application, task: TaskTemplate, binding: "early" | "late"): TaskProfile {
  const requirement = bothHold(application.requirement?.text, task.requirement?.text);
  const rank = task.rank?.text ?? application.rank?.text;
  const { cores, memoryBytes, diskBytes, wallSeconds, gpus, processes, named } = task.resources ?? {};
  // Processes that may be on several hosts are the cluster's to place.
  const early = (task.binding ?? (processes === undefined ? binding : "early")) === "early";
  const { adaptive } = task;
  return {
    ...(requirement === undefined ? {} : { requirement }),
    ...(rank === undefined ? {} : { rank }),
    ...(task.priority === undefined ? {} : { priority: task.priority }),
    ...(task.category === undefined ? {} : { category: task.category }),
    ...(task.retries === undefined ? {} : { retries: task.retries }),
    ...(cores === undefined ? {} : { cores }),
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(diskBytes === undefined ? {} : { diskBytes }),
    ...(wallSeconds === undefined ? {} : { wallSeconds }),
    ...(processes === undefined ? {} : { processes }),
    ...(gpus || named ? { named: { ...named, ...(gpus ? { Gpus: gpus } : {}) } } : {}),
    ...(task.software ? { software: softwareMarks(task.software) } : {}),
    ...(early ? { binding: "early" } : {}),
    ...(adaptive ? { adaptive: adaptiveProfile(adaptive) } : {}),
  };
}

function adaptiveProfile(task: AdaptiveTemplate): AdaptiveProfile {
  const { restart, contract, suspensionSeconds, migrate = "forced", trouble = "fail" } = task;
  return {
    ...{ restart: (restart?.length ?? 0) > 0, migrate, trouble },
    ...(contract ? { contract } : {}),
    ...(suspensionSeconds === undefined ? {} : { suspensionSeconds }),
  };
}

/** The number of the task with this name, which the application names as its last. */
export function finalTaskOf(application: Application, workflow: Workflow): number | undefined {
  const { finalTask } = application;
  if (finalTask === undefined) return undefined;
  for (let task = 0; task < workflow.taskCount; task += 1) if (workflow.name(task) === finalTask) return task;
  return undefined;
}
