/** What a folder of `core/languages` provides: one format, read into the application model. */

import type { Problem } from "@/core/problem";
import type { Application } from "@/core/workflow/application";

export type WorkflowFormat = "gridadl";

export interface Language {
  readonly format: WorkflowFormat;
  /** As people call it. */
  readonly name: string;
  /** By content first; the file's name only where the content does not tell. */
  recognises(text: string, fileName?: string): boolean;
  parse(text: string): { application: Application; problems: Problem[] };
}

export interface ParsedWorkflow {
  format: WorkflowFormat;
  application: Application;
  problems: Problem[];
}
