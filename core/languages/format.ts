/** What a folder of `core/languages` provides: one format, read into the application model and, where it can be, written from it. */
import type { Problem } from "@/core/problem";
import type { Application } from "@/core/workflow/application";

export interface Format {
  /** As commands and stored runs call it, such as `gridadl`. */
  readonly name: string;
  /** As people call it. */
  readonly title: string;
  /** How the names of its files end as a rule, such as `.dag`. */
  readonly ending: string;
  /** By content first; the file's name only where the content does not tell. */
  detect(text: string, fileName?: string): boolean;
  parse(text: string, surroundings?: Surroundings): ParsedText;
  /** Absent: the format can be read, not written. */
  print?(application: Application): PrintedWorkflow;
}

/** What there is beside a text: its own name, and the files it names (submit files, splices, files to include). */
export interface Surroundings {
  fileName?: string;
  /** The text of a file by the name it is called in the text; nothing if it did not come along. */
  readFile?(name: string): string | undefined;
}

export interface ParsedText {
  application: Application;
  problems: Problem[];
}

export interface PrintedWorkflow {
  text: string;
  /** Further files the text names, by name. */
  files?: Record<string, string>;
  /** What the format cannot say, each as a warning. */
  problems: Problem[];
}
