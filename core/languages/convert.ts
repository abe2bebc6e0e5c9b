/** What a workflow can be written as: every format that prints, and the application model itself. */
import type { Application } from "@/core/workflow/application";
import { formats, type PrintedWorkflow } from ".";
import { printWfFormat } from "./wfformat";

export interface Target {
  /** As commands call it. */
  name: string;
  /** As people call it. */
  title: string;
  ending: string;
  print(application: Application): PrintedWorkflow;
}

const json: Target = {
  name: "json",
  title: "JSON",
  ending: ".application.json",
  print: (application) => ({ text: `${JSON.stringify(application, null, 2)}\n`, problems: [] }),
};

/** The version before, for programs that do not read the current one. */
const wfformat15: Target = {
  name: "wfformat-1.5",
  title: "WfFormat 1.5",
  ending: ".json",
  print: (application) => printWfFormat(application, "1.5"),
};

/** The portal's own first. */
export const targets: readonly Target[] = [
  ...formats.toReversed().flatMap(({ name, title, ending, print }) => (print ? [{ name, title, ending, print }] : [])),
  wfformat15,
  json,
];
