/**
 * The keys of a job template for a job that moves while it runs (the first GridWay's Figure 5, and the releases): restart
 * files, dynamic files, the performance evaluator, limits on suspension.
 */
import type { AdaptiveTemplate } from "@/core/workflow/adaptive";
import type { Template } from "@/core/workflow/application";
import type { Entry } from "./entries";

export const adaptiveKeys = [
  ...["RESTART_FILES", "CHECKPOINT_INTERVAL", "PROFILE_DFILE", "PERFORMANCE_EVALUATOR", "MAX_ITERATION_TIME"],
  ...["SUSPENSION_TIMEOUT", "RESCHEDULING_INTERVAL", "WRAPPER"],
] as const;

export interface TemplateEntries {
  get(key: string): Entry | undefined;
  number(key: string, minimum: number): number | undefined;
  files(entry: Entry | undefined, direction: "input" | "output"): Template[];
  fill(entry: Entry): Template;
}

/** What they say, and the programs among them that come with the template. */
export function readAdaptive({ get, number, files, fill }: TemplateEntries): {
  adaptive?: AdaptiveTemplate;
  programs: Template[];
} {
  const adaptive: AdaptiveTemplate = {};
  const programs: Template[] = [];
  const given = (key: string): Entry | undefined => {
    const entry = get(key);
    return entry && entry.value !== "" ? entry : undefined;
  };
  const restart = files(given("RESTART_FILES"), "output");
  if (restart.length > 0) adaptive.restart = restart;
  // 0: as often as the portal thinks right.
  const interval = number("CHECKPOINT_INTERVAL", 0);
  if (interval) adaptive.checkpointSeconds = interval;
  const suspension = number("SUSPENSION_TIMEOUT", 0);
  if (suspension) adaptive.suspensionSeconds = suspension;
  if (number("RESCHEDULING_INTERVAL", 0)) adaptive.migrate = "better";
  const profile = given("PROFILE_DFILE");
  if (profile) adaptive.profile = fill(profile);
  for (const [key, field] of [
    ["PERFORMANCE_EVALUATOR", "evaluator"],
    ["WRAPPER", "wrapper"],
  ] as const) {
    const entry = given(key);
    if (!entry) continue;
    adaptive[field] = fill(entry);
    const program = entry.value.split(/\s+/)[0] ?? "";
    if (!program.startsWith("/")) programs.push(fill({ ...entry, value: program }));
  }
  // For somebody's own evaluator it is a parameter; without one ours looks at it.
  const longest = adaptive.evaluator ? undefined : number("MAX_ITERATION_TIME", 1);
  if (longest !== undefined) adaptive.contract = { seconds: longest };
  // The job may write into the files its first requirement and rank came from.
  const requirement = given("HOST_REQUIREMENTS_FILE");
  const rank = given("RANK_FUNCTION_FILE");
  if (requirement) adaptive.requirementFile = fill(requirement);
  if (rank) adaptive.rankFile = fill(rank);
  return Object.keys(adaptive).length > 0 ? { adaptive, programs } : { programs };
}
