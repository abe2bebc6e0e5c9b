/** The policies of a bag (policy.ts) as they are written down: in a file, in a form, and with a stored run. */
import { z } from "zod";
import { type Policies, policyProblems, policySentence } from "./policy";

const expression = z.string().max(10_000);

/** GB-2; see core/engine/policy.ts for what each says. */
export const policies = z.object({
  jobRequirements: expression.optional(),
  rank: expression.optional(),
  replicationRequirements: expression.optional(),
  concurrency: expression.optional(),
  deadline: expression.optional(),
  gridPolicy: expression.optional(),
  tailBelow: z.number().int().min(0).max(1e9).optional(),
  latchTail: z.boolean().optional(),
  maxReplicas: z.number().int().min(1).max(100).optional(),
  weights: z
    .object({
      distance: z.number().min(0).max(1e6),
      capacity: z.number().min(0).max(1e6),
      cpu: z.number().min(0).max(1e6),
      memory: z.number().min(0).max(1e6),
    })
    .optional(),
});

/** As a person gives them. A name that is not known is a misprint; left out silently it would be a run without that policy. */
export const givenPolicies = z.strictObject(policies.shape).transform((given) => {
  // A field left empty says nothing.
  const said = Object.entries(given).filter(([, value]) => typeof value !== "string" || value.trim() !== "");
  return policies.parse(Object.fromEntries(said));
});

/** From a file; sentences if they cannot be used, each with its place. */
export function readPolicies(text: string): { ok: true; policies: Policies } | { ok: false; sentences: string[] } {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    return { ok: false, sentences: [`It is not JSON: ${error instanceof Error ? error.message : String(error)}`] };
  }
  const given = givenPolicies.safeParse(data);
  if (!given.success) {
    const sentences = given.error.issues.map(
      ({ path, message }) => `${path.length > 0 ? `${path.join(".")}: ` : ""}${message}.`,
    );
    return { ok: false, sentences };
  }
  const problems = policyProblems(given.data);
  return problems.length > 0
    ? { ok: false, sentences: problems.map(policySentence) }
    : { ok: true, policies: given.data };
}
