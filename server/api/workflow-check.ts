/**
 * Reading a workflow on the server: its text with its companions, the files it names as part of its description. They
 * are uploads like any other, so their text is read from the store by hash; whose they are was settled by `ownedUploads`.
 */
import { TRPCError } from "@trpc/server";
import { companionName, parseWithCompanions } from "@/core/languages/companions";
import { checkParsed } from "@/core/workflow/check";
import type { FileStore } from "@/server/files/store";
import type { CheckResult, CompanionText, UploadedFile } from "./views";

/** A description in many files must not need more room than one in a single text. */
export const companionLimits = { files: 10_000, bytes: 16 * 1024 * 1024 };

export interface WorkflowText {
  source: string;
  /** The name of the file it came in. A workflow's own name is a person's choice and tells nothing. */
  sourceName?: string | null;
}

export async function readWorkflow(
  store: FileStore,
  { source, sourceName }: WorkflowText,
  uploads: readonly UploadedFile[],
) {
  const byName = new Map(uploads.map((upload) => [upload.name, upload]));
  const companions = new Map<string, string>();
  let bytes = 0;
  const { parsed } = await parseWithCompanions(source, sourceName ?? undefined, async (asked) => {
    const upload = byName.get(companionName(asked));
    if (!upload) return undefined;
    const known = companions.get(upload.name);
    if (known !== undefined) return known;
    bytes += upload.size;
    if (companions.size >= companionLimits.files || bytes > companionLimits.bytes) throw tooMuch(upload.name);
    const text = await textOf(store, upload.sha256);
    if (text !== undefined) companions.set(upload.name, text);
    return text;
  });
  return { parsed, companions: [...companions].map(([name, text]): CompanionText => ({ name, text })) };
}

export async function checkStored(
  store: FileStore,
  text: WorkflowText,
  uploads: readonly UploadedFile[],
  providedFiles?: ReadonlySet<string>,
) {
  const { parsed } = await readWorkflow(store, text, uploads);
  const checked = checkParsed(parsed, providedFiles);
  const { workflow } = checked;
  const result: CheckResult = {
    format: checked.format,
    class: workflow?.class,
    tasks: workflow?.taskCount ?? 0,
    edges: workflow?.successors.targets.length ?? 0,
    externalInputs: workflow ? [...workflow.externalInputs] : [],
    problems: checked.problems,
  };
  return { ...checked, result };
}

/** Nothing if the store has lost it: the check then says that the file is not there. */
async function textOf(store: FileStore, sha256: string): Promise<string | undefined> {
  if (!(await store.has(sha256))) return undefined;
  const parts: Uint8Array[] = [];
  for await (const part of store.open(sha256)) parts.push(part);
  // Like a browser reads it: without a byte order mark, strange bytes replaced.
  return new TextDecoder().decode(Buffer.concat(parts));
}

function tooMuch(name: string): TRPCError {
  const { files, bytes } = companionLimits;
  return new TRPCError({
    code: "BAD_REQUEST",
    message: `The files that describe this workflow are too large with “${name}”: at most ${files.toLocaleString("en")} files and ${bytes / 1024 / 1024} MB together.`,
  });
}
