/**
 * Policies as they stand in a form: a text for each field, whatever was typed. Reading the draft gives policies, and a
 * sentence for each field that cannot be read, with the place in it.
 */
import { type ExpressionPolicy, expressionPolicies, type Policies, readPolicy } from "@/core/engine/policy";
import { type Criterion, criteria } from "@/core/engine/preference";

export const weightFields = {
  distance: "weightDistance",
  capacity: "weightCapacity",
  cpu: "weightCpu",
  memory: "weightMemory",
} as const satisfies Record<Criterion, string>;

export type PolicyField =
  | ExpressionPolicy
  | "maxReplicas"
  | "tailBelow"
  | "latchTail"
  | (typeof weightFields)[Criterion];

/** `latchTail` is "yes" or empty. */
export type PolicyDraft = Readonly<Record<PolicyField, string>>;
export type FieldProblems = Readonly<Partial<Record<PolicyField, string>>>;

export function draftOf(policies: Policies): PolicyDraft {
  const number = (value: number | undefined) => (value === undefined ? "" : String(value));
  const { weights } = policies;
  return {
    jobRequirements: policies.jobRequirements ?? "",
    rank: policies.rank ?? "",
    replicationRequirements: policies.replicationRequirements ?? "",
    concurrency: policies.concurrency ?? "",
    deadline: policies.deadline ?? "",
    gridPolicy: policies.gridPolicy ?? "",
    maxReplicas: number(policies.maxReplicas),
    tailBelow: number(policies.tailBelow),
    latchTail: policies.latchTail ? "yes" : "",
    weightDistance: number(weights?.distance),
    weightCapacity: number(weights?.capacity),
    weightCpu: number(weights?.cpu),
    weightMemory: number(weights?.memory),
  };
}

export const emptyPolicies = draftOf({});

export function sameDraft(one: PolicyDraft, other: PolicyDraft): boolean {
  const text = (draft: PolicyDraft) => JSON.stringify(Object.entries(draft).sort());
  return text(one) === text(other);
}

export function readDraft(draft: PolicyDraft): { policies: Policies; problems: FieldProblems } {
  const policies: Policies = {};
  const problems: Partial<Record<PolicyField, string>> = {};
  for (const name of expressionPolicies) {
    const text = draft[name];
    if (text.trim() === "") continue;
    policies[name] = text;
    const problem = expressionProblem(text);
    if (problem) problems[name] = problem;
  }
  const whole = (field: "maxReplicas" | "tailBelow", least: number, most: number) => {
    const read = readWhole(draft[field], least, most);
    if (typeof read === "string") problems[field] = read;
    else if (read !== undefined) policies[field] = read;
  };
  whole("maxReplicas", 1, 100);
  whole("tailBelow", 0, 1_000_000_000);
  if (draft.latchTail !== "") policies.latchTail = true;
  if (criteria.some((criterion) => draft[weightFields[criterion]].trim() !== "")) {
    const weight = (criterion: Criterion) => {
      const field = weightFields[criterion];
      const value = draft[field].trim() === "" ? 1 : Number(draft[field]);
      if (value >= 0 && value <= 1e6) return value;
      problems[field] = "A number from 0 to 1,000,000 is needed.";
      return 0;
    };
    policies.weights = {
      distance: weight("distance"),
      capacity: weight("capacity"),
      cpu: weight("cpu"),
      memory: weight("memory"),
    };
  }
  return { policies, problems };
}

const longest = 10_000;

function expressionProblem(text: string): string | undefined {
  if (text.length > longest)
    return `The expression is too long: at most ${longest.toLocaleString("en-US")} characters.`;
  const { problem, at } = readPolicy(text);
  if (problem === undefined) return undefined;
  if (!at) return problem;
  return `${text.includes("\n") ? `Line ${at.line}, column` : "Column"} ${at.column}: ${problem}`;
}

/** Undefined: nothing was typed. A text: what is wrong. */
export function readWhole(text: string, least: number, most: number): number | string | undefined {
  const typed = text.trim();
  if (typed === "") return undefined;
  const number = Number(typed);
  if (/^[+-]?\d+$/.test(typed) && number >= least && number <= most) return number;
  return `A whole number from ${least.toLocaleString("en-US")} to ${most.toLocaleString("en-US")} is needed.`;
}
