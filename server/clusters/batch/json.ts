/** JSON that a scheduler prints, checked before it is believed. */
import type { z } from "zod";
import { ClusterProblem } from "../cluster-problem";

export function readJson<T>(text: string, schema: z.ZodType<T>, command: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ClusterProblem(
      "unreadable",
      `${command} gave something that is no JSON: “${text.trim().slice(0, 120)}”.`,
    );
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new ClusterProblem(
    "unreadable",
    `${command} gave JSON of another shape: ${issue?.path.join(".")}: ${issue?.message}.`,
  );
}
