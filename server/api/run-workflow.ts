/**
 * The graph of a run, rebuilt from the application stored with it. Opening one task after another must not
 * rebuild it each time, so the last few are kept.
 */
import type { RunId } from "@/core/engine/ids";
import { buildWorkflow } from "@/core/workflow/build";
import type { Workflow } from "@/core/workflow/workflow";
import { getRun } from "@/server/journal/queries/get-run";
import type { Backend } from "./backend";

const kept = 8;

export class RunWorkflows {
  private readonly workflows = new Map<RunId, Workflow>();

  constructor(private readonly pool: Backend["pool"]) {}

  /** `taskCount`: as the run has now; a graph from before tasks were added to it is made anew. */
  async of(run: RunId, taskCount?: number): Promise<Workflow | undefined> {
    const known = this.workflows.get(run);
    if (known && (taskCount === undefined || known.taskCount === taskCount)) {
      // The most recently used one goes to the end, the least recently used one is dropped first.
      this.workflows.delete(run);
      this.workflows.set(run, known);
      return known;
    }
    const stored = await getRun(this.pool, run);
    if (!stored) return undefined;
    const { workflow } = buildWorkflow(stored.application);
    this.workflows.set(run, workflow);
    for (const oldest of this.workflows.keys()) {
      if (this.workflows.size <= kept) break;
      this.workflows.delete(oldest);
    }
    return workflow;
  }
}
