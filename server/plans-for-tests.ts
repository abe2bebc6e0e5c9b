/**
 * How PostgreSQL would carry out statements that were sent: which of the tables that grow with the work it would read
 * from end to end.
 */
import { z } from "zod";
import type { Pool } from "./journal/pool";

const growing = new Set(["run", "attempt", "attempt_start", "outcome", "output", "event", "task_chunk", "run_input"]);

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  Plans?: PlanNode[];
}

const planNode: z.ZodType<PlanNode> = z.lazy(() =>
  z.looseObject({
    "Node Type": z.string(),
    "Relation Name": z.string().optional(),
    Plans: z.array(planNode).optional(),
  }),
);
const explained = z.tuple([z.object({ Plan: planNode })]);
const sent = z.union([z.string(), z.object({ text: z.string(), values: z.array(z.unknown()).optional() })]);

/** `calls`: the arguments of each `pool.query`. Statements about other schemas than the engine's are left out. */
export async function namesOfWholeScans(
  pool: Pool,
  calls: readonly (readonly unknown[])[],
): Promise<{ statements: number; tables: string[] }> {
  const tables = new Set<string>();
  let statements = 0;
  for (const [first, second] of calls) {
    const statement = sent.safeParse(first).data;
    if (statement === undefined) continue;
    const text = typeof statement === "string" ? statement : statement.text;
    if (!/\bengine\./.test(text)) continue;
    statements += 1;
    const values = typeof statement === "string" ? (Array.isArray(second) ? second : []) : (statement.values ?? []);
    const { rows } = await pool.query<{ "QUERY PLAN": unknown }>(`EXPLAIN (FORMAT JSON) ${text}`, values);
    const [{ Plan }] = explained.parse(rows[0]?.["QUERY PLAN"]);
    for (const node of nodesOf(Plan)) {
      const table = node["Relation Name"];
      if (node["Node Type"] === "Seq Scan" && table && growing.has(table)) tables.add(table);
    }
  }
  return { statements, tables: [...tables].sort() };
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
