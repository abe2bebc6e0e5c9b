/**
 * Files dropped together: which one is the workflow, which are its inputs. A file the present text asks for is an
 * input; otherwise the workflow is the first readable text that describes at least one task, by name first.
 */
import { parseWorkflow } from "@/core/languages";
import type { ExternalInput } from "@/core/workflow/workflow";

const workflowName = /\.(?:adl|gridadl|grid-adl|gadl)$/i;
const largestText = 16 * 1024 * 1024;

/** The part of `File` this needs. */
export interface DroppedFile {
  name: string;
  size: number;
  text(): Promise<string>;
}

export interface Sorted<F> {
  workflow?: { name: string; text: string };
  inputs: F[];
}

export async function sortDropped<F extends DroppedFile>(
  files: readonly F[],
  needed: readonly ExternalInput[],
): Promise<Sorted<F>> {
  const wanted = new Set(needed.flatMap((input) => [input.name, input.name.split("/").at(-1)]));
  const candidates = files
    .filter((file) => !wanted.has(file.name) && file.size > 0 && file.size <= largestText)
    .sort((a, b) => Number(workflowName.test(b.name)) - Number(workflowName.test(a.name)));
  for (const file of candidates) {
    const text = await file.text();
    const named = workflowName.test(file.name);
    if (named || describesTasks(text, file.name)) {
      return {
        workflow: { name: file.name.replace(/\.[^.]+$/, ""), text },
        inputs: files.filter((other) => other !== file),
      };
    }
  }
  return { inputs: [...files] };
}

function describesTasks(text: string, fileName: string): boolean {
  if (text.includes("\0") || text.includes("\uFFFD") || !/\btask\b/i.test(text)) return false;
  const { application, problems } = parseWorkflow(text, fileName);
  return application.groups.length > 0 && problems.every((problem) => problem.severity === "warning");
}
