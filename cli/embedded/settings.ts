/**
 * How the run is to go, from the flags of `gridloom run`: `--policies FILE.json`, `--priority`, `--retries`, `--cluster`,
 * `--granularity`. Everything is checked before an engine is started.
 */
import type { Policies } from "@/core/engine/policy";
import { readPolicies } from "@/core/engine/policy-schema";
import { clusteringAlgorithms } from "@/core/workflow/clustering";
import { type RunSettings, runOptions, runSettings } from "@/server/engine/run-settings";

export const settingsFlags = {
  policies: { type: "string" },
  priority: { type: "string" },
  retries: { type: "string" },
  cluster: { type: "string" },
  granularity: { type: "string" },
} as const;

export type SettingsFlags = { [flag in keyof typeof settingsFlags]?: string | undefined };

export type SettingsRead = { ok: true; settings: RunSettings } | { ok: false; sentence: string };

export async function readSettings(
  flags: SettingsFlags,
  readFile: (path: string) => Promise<string>,
): Promise<SettingsRead> {
  const algorithm = clusteringAlgorithms.find((name) => name === flags.cluster);
  if (flags.cluster !== undefined && !algorithm) {
    return refused(
      `--cluster: there is no algorithm “${flags.cluster}”; there are ${clusteringAlgorithms.join(", ")}.`,
    );
  }
  if (flags.granularity !== undefined && !algorithm) return refused("--granularity needs --cluster.");
  const policies = flags.policies === undefined ? undefined : await policiesIn(flags.policies, readFile);
  if (policies && !policies.ok) return policies;
  const options = runOptions.safeParse({
    ...(policies && { policies: policies.policies }),
    ...(flags.priority !== undefined && { priority: numberOf(flags.priority) }),
    ...(flags.retries !== undefined && { retries: numberOf(flags.retries) }),
    ...(algorithm && {
      clustering: {
        algorithm,
        ...(flags.granularity !== undefined && { granularity: numberOf(flags.granularity) }),
      },
    }),
  });
  if (!options.success) {
    const [issue] = options.error.issues;
    return refused(`--${String(issue?.path.at(-1) ?? "")}: ${issue?.message ?? ""}.`);
  }
  return { ok: true, settings: runSettings.parse(options.data) };
}

/** Empty and blank are no numbers. */
function numberOf(text: string): number {
  return text.trim() === "" ? Number.NaN : Number(text);
}

type PoliciesRead = { ok: true; policies: Policies } | { ok: false; sentence: string };

async function policiesIn(file: string, readFile: (path: string) => Promise<string>): Promise<PoliciesRead> {
  let text: string;
  try {
    text = await readFile(file);
  } catch (error) {
    return refused(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const read = readPolicies(text);
  return read.ok ? read : refused(read.sentences.map((sentence) => `${file}: ${sentence}`).join("\n"));
}

function refused(sentence: string): { ok: false; sentence: string } {
  return { ok: false, sentence };
}
