/** Small builders for tests of the simulated grid. */
import type { Policies } from "@/core/engine/policy";
import { parseWorkflow } from "@/core/languages";
import { buildWorkflow } from "@/core/workflow/build";
import { readGrid } from "./grid-file";
import type { Grid, gridSchema } from "./grid-schema";
import type { SimulationReport } from "./report";
import { simulate } from "./simulate";
import { type WorkloadOptions, workloadOf } from "./workload";

type Written = typeof gridSchema._input;

/** With an agent on every host from the start, unless told. */
export function gridOf(clusters: Written["clusters"], rest: Partial<Written> = {}): Grid {
  const { grid, problems } = readGrid(
    JSON.stringify({ name: "test", factory: { kind: "standing" }, clusters, ...rest }),
  );
  if (!grid) throw new Error(problems.map(({ message }) => message).join("\n"));
  return grid;
}

export interface Wishes extends Partial<WorkloadOptions> {
  retries?: number;
  policies?: Policies;
  fileSizes?: Record<string, number>;
}

/** The workflow, in GRID-ADL, on the grid. Tasks take 10 seconds unless told. */
export function simulated(text: string, grid: Grid, wishes: Wishes = {}): SimulationReport {
  const { retries = 1, fileSizes, seed = 1, policies, ...options } = wishes;
  const { application } = parseWorkflow(text);
  const { workflow } = buildWorkflow(application);
  const sized = fileSizes ? { fileSizes } : {};
  const workload = workloadOf("w", { ...application, ...sized }, workflow, { secondsPerWeight: 10, ...options, seed });
  return simulate({ grid, submissions: [{ workload, rules: { retries, policies } }], seed });
}

export function bag(tasks: number, options = ""): string {
  return `foreach \${n} in 1..${tasks}\ndo\n task t\${n} -e p ${options}\ndone\n`;
}

export const diamond =
  "task A -e p -i in -o a\ntask B -e p -i a -o b\ntask C -e p -i a -o c\ntask D -e p -i b c -o d\n";

/** `task host prolog-ended` of every attempt, in the order of the decisions. */
export function schedule({ timeline }: SimulationReport): string[] {
  return timeline.map(({ taskName, host, prolog, ended }) => `${taskName} ${host} ${prolog}-${ended}`);
}
