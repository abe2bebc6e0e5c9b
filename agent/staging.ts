/**
 * The prolog (GW-3): a fresh directory with the task's inputs in it. Content comes from the cache, and into the
 * cache from the gateway; transient files come from the cache or not at all.
 */
import type { AgentOutcome, Assignment } from "@/core/protocol/agent";
import type { Cache } from "./cache";
import { sentenceOf } from "./log";
import type { Transfer } from "./transfer";
import type { WorkDirectory } from "./work-directory";

/** The set it goes on from lies beside its inputs, and instead of those that have the same name (GW-9). */
export function withRestartFiles(assignment: Assignment): Assignment {
  const from = assignment.adaptive?.from ?? [];
  if (from.length === 0) return assignment;
  const restored = new Set(from.map(({ name }) => name));
  const inputs = assignment.inputs.filter(({ name }) => !restored.has(name));
  return { ...assignment, inputs: [...inputs, ...from.map((file) => ({ ...file, kept: false }))] };
}

/** Undefined when all inputs are in place, else how the attempt ends. */
export async function stageInputs(
  assignment: Assignment,
  programs: ReadonlySet<string>,
  directory: WorkDirectory,
  cache: Cache,
  transfer: Transfer,
  signal: AbortSignal,
): Promise<AgentOutcome | undefined> {
  const gone = assignment.inputs.filter(({ kept, sha256 }) => kept && !cache.has(sha256)).map(({ name }) => name);
  if (gone.length > 0) return { is: "inputs-missing", files: gone };
  const failures: string[] = [];
  const bring = async ({ name, sha256, kept }: Assignment["inputs"][number]) => {
    const place = async (path: string) => {
      await directory.place(path, name, programs.has(name));
      return true;
    };
    try {
      const fetch = kept ? undefined : (to: string) => transfer.download(sha256, to);
      const placed = await cache.use(sha256, place, fetch, signal);
      if (!placed && kept) gone.push(name);
      else if (!placed) failures.push(`The input "${name}" left this host's cache while it was being staged.`);
    } catch (error) {
      failures.push(`The input "${name}" could not be staged: ${sentenceOf(error)}.`);
    }
  };
  // The transfers among them take turns of their own; this only bounds the open files.
  const left = [...assignment.inputs];
  const worker = async () => {
    for (let input = left.shift(); input && !signal.aborted; input = left.shift()) await bring(input);
  };
  await Promise.all(Array.from({ length: Math.min(8, left.length) }, worker));
  if (gone.length > 0) return { is: "inputs-missing", files: gone };
  if (failures.length > 0) return { is: "failed", reason: "staging", detail: failures.join(" ").slice(0, 4000) };
  for (const { name } of assignment.outputs) directory.makeParents(name);
  return undefined;
}
