/**
 * The engine's memory of results: answers the reactor's question whether a task has to run at all, many tasks at a time, and
 * remembers what a success was made from. Only files the portal has count: a task with transient outputs always runs.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { AttemptRef, RunId } from "@/core/engine/ids";
import type { OutputFile } from "@/core/engine/outcome";
import type { ReuseAnswer } from "@/core/engine/reuse";
import type { FileContent } from "@/server/journal/queries/lookup-inputs";
import type { ReusableResult } from "@/server/journal/queries/reusable-results";
import type { ReusableRecord } from "@/server/journal/reusable-record";
import type { ActiveRun } from "./active-run";
import type { FileIndex } from "./file-index";
import { type ReuseParts, reuseKey, reuseParts, whatChanged } from "./reuse-key";

export interface ReusePorts {
  run(id: RunId): ActiveRun | undefined;
  files: FileIndex;
  lookup(run: RunId, names: string[]): Promise<Map<string, FileContent>>;
  results(owner: string, keys: readonly string[]): Promise<Map<string, ReusableResult>>;
  lastParts(owner: string, names: readonly string[]): Promise<Map<string, unknown>>;
  answer(run: RunId, task: number, answer: ReuseAnswer): void;
}

const batchSize = 500;
const storedParts: z.ZodType<ReuseParts> = z.object({
  command: z.string(),
  environment: z.string(),
  outputs: z.string(),
  inputs: z.record(z.string(), z.string()),
});

export class Reuse {
  private readonly asked = new Map<RunId, number[]>();
  private working = false;

  constructor(private readonly ports: ReusePorts) {}

  ask(run: RunId, task: number): void {
    const others = this.asked.get(run);
    if (others) others.push(task);
    else this.asked.set(run, [task]);
    if (this.working) return;
    this.working = true;
    // Not within the reactor's call.
    setImmediate(() => void this.work());
  }

  private async work(): Promise<void> {
    for (;;) {
      const [next] = this.asked;
      if (!next) break;
      const [run, tasks] = next;
      const batch = tasks.splice(0, batchSize);
      if (tasks.length === 0) this.asked.delete(run);
      const answers = await this.lookUpPatiently(run, batch);
      for (const task of batch) this.ports.answer(run, task, answers.get(task) ?? { is: "none" });
    }
    this.working = false;
  }

  /** A database that is away is waited for: the journal's writer tells people. */
  private async lookUpPatiently(run: RunId, tasks: readonly number[]): Promise<Map<number, ReuseAnswer>> {
    for (let backoff = 50; ; backoff = Math.min(backoff * 2, 3000)) {
      try {
        return await this.lookUp(run, tasks);
      } catch {
        await sleep(backoff);
      }
    }
  }

  private async lookUp(id: RunId, tasks: readonly number[]): Promise<Map<number, ReuseAnswer>> {
    const run = this.ports.run(id);
    if (!run) return new Map();
    const specs = tasks.map((task) => run.workflow.task(task)).filter((spec) => isReusable(run, spec.outputs));
    const names = [...new Set(specs.flatMap((spec) => spec.inputs))];
    const unknown = names.filter((name) => !this.ports.files.get(id, name));
    const found = unknown.length > 0 ? await this.ports.lookup(id, unknown) : new Map<string, FileContent>();
    for (const file of found.values()) this.ports.files.set(id, file);
    const contentOf = (name: string) => (this.ports.files.get(id, name) ?? found.get(name))?.sha256;
    const asked = specs.flatMap((spec) => {
      const parts = reuseParts(spec, contentOf);
      return parts ? [{ spec, parts, key: reuseKey(parts) }] : [];
    });
    const { ownerId } = run.plan;
    const results = await this.ports.results(
      ownerId,
      asked.map(({ key }) => key),
    );
    const missed = asked.filter(({ key }) => !results.has(key)).map(({ spec }) => spec.name);
    const last = missed.length > 0 ? await this.ports.lastParts(ownerId, missed) : new Map<string, unknown>();
    return new Map(
      asked.map(({ spec, parts, key }) => {
        const result = results.get(key);
        return [spec.index, result ? { is: "found", ...result } : none(parts, last.get(spec.name))];
      }),
    );
  }

  /** What to write down about a success, if another run could take it. */
  record(attempt: AttemptRef, outputs: OutputFile[], at: number): ReusableRecord | undefined {
    const run = this.ports.run(attempt.run);
    if (!run || outputs.length === 0 || outputs.some(({ transient }) => transient)) return undefined;
    const spec = run.workflow.task(attempt.task);
    const parts = reuseParts(spec, (name) => this.ports.files.get(run.id, name)?.sha256);
    if (!parts) return undefined;
    const { ownerId: owner } = run.plan;
    return { is: "reusable", owner, key: reuseKey(parts), taskName: spec.name, parts, outputs, attempt, at };
  }
}

function isReusable({ workflow }: ActiveRun, outputs: readonly string[]): boolean {
  return outputs.length > 0 && !outputs.some((name) => workflow.isTransient(name));
}

function none(parts: ReuseParts, before: unknown): ReuseAnswer {
  const known = storedParts.safeParse(before);
  const changed = known.success ? whatChanged(known.data, parts) : undefined;
  return changed === undefined ? { is: "none" } : { is: "none", changed };
}
