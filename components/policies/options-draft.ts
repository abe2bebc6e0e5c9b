/** How the next run is to go, as it stands in the editor's Options: priority, retries, clustering and policies. */
import type { Policies } from "@/core/engine/policy";
import type { ClusteringAlgorithm } from "@/core/workflow/clustering";
import { emptyPolicies, type FieldProblems, type PolicyDraft, readDraft, readWhole } from "./policy-draft";

export interface OptionsDraft {
  priority: string;
  retries: string;
  algorithm: ClusteringAlgorithm;
  granularity: string;
  policies: PolicyDraft;
}

export const emptyOptions: OptionsDraft = {
  priority: "",
  retries: "",
  algorithm: "none",
  granularity: "",
  policies: emptyPolicies,
};

export interface GivenOptions {
  policies?: Policies;
  priority?: number;
  retries?: number;
  clustering?: { algorithm: ClusteringAlgorithm; granularity?: number };
}

export interface OptionsRead {
  /** What was said; nothing of what was left as it is. */
  given: GivenOptions;
  problems: Partial<Record<"priority" | "retries" | "granularity", string>>;
  policyProblems: FieldProblems;
  /** How many fields say something. */
  set: number;
}

export function readOptions(draft: OptionsDraft): OptionsRead {
  const given: GivenOptions = {};
  const problems: OptionsRead["problems"] = {};
  const whole = (field: "priority" | "retries" | "granularity", least: number, most: number) => {
    const read = readWhole(draft[field], least, most);
    if (typeof read !== "string") return read;
    problems[field] = read;
    return undefined;
  };
  const priority = whole("priority", -20, 20);
  if (priority !== undefined) given.priority = priority;
  const retries = whole("retries", 0, 1000);
  if (retries !== undefined) given.retries = retries;
  if (draft.algorithm !== "none") {
    const granularity = whole("granularity", 1, 1_000_000);
    given.clustering = { algorithm: draft.algorithm, ...(granularity === undefined ? {} : { granularity }) };
  }
  const { policies, problems: policyProblems } = readDraft(draft.policies);
  const said = Object.keys(policies).length;
  if (said > 0) given.policies = policies;
  const set = Object.keys(given).length - (said > 0 ? 1 : 0) + said;
  return { given, problems, policyProblems, set };
}

export function optionsProblem({ problems, policyProblems }: OptionsRead): string | undefined {
  const wrong = Object.keys(problems).length + Object.keys(policyProblems).length;
  if (wrong === 0) return undefined;
  return wrong === 1 ? "One of the options cannot be read." : `${wrong} of the options cannot be read.`;
}
