/** A requirement of GRID-ADL's, read by the expression language and kept as the ClassAd expression it means. */
import { checkExpression, printExpression, translateGridadlRequirement } from "@/core/expressions";
import type { Problem } from "@/core/problem";

/** Places of the problems count from the start of this text. */
export function readRequirement(text: string): { requirement?: string; problems: Problem[] } {
  const parsed = translateGridadlRequirement(text);
  if (!parsed.ok) return { problems: [parsed.problem] };
  return { requirement: printExpression(parsed.value, "spaced"), problems: checkExpression(parsed.value, text) };
}
