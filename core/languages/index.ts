/** Every format a workflow can be given in. A new one is a folder and a line here. */
import { gridadl } from "./gridadl";
import type { Language, ParsedWorkflow } from "./language";

export type { ParsedWorkflow, WorkflowFormat } from "./language";

/** The first that recognises a text reads it; the last takes whatever nobody else does. */
const languages: readonly Language[] = [gridadl];

export function parseWorkflow(text: string, fileName?: string): ParsedWorkflow {
  const language = languages.find((candidate) => candidate.recognises(text, fileName)) ?? gridadl;
  return { format: language.format, ...language.parse(text) };
}
