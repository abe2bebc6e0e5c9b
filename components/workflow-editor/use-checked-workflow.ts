"use client";
/**
 * Checks the description as one types: parse, build, all problems, in the browser. Waits for a pause in typing, longer
 * for longer texts; while a text has errors that leave no graph, the last good one stays on the page.
 */
import { useEffect, useState } from "react";
import { type GraphModel, graphModel } from "@/components/graph/graph-model";
import { formats } from "@/core/languages";
import { companionName } from "@/core/languages/companions";
import { hasErrors, type Problem } from "@/core/problem";
import type { Application } from "@/core/workflow/application";
import { checkWorkflow } from "@/core/workflow/check";
import { runProblems } from "@/core/workflow/run-check";
import type { Workflow } from "@/core/workflow/workflow";
import { type Description, readCompanion } from "./description";

export interface Checked {
  /** What this is about. */
  description: Description;
  /** The format it was read as, by its name and as people call it; absent for an empty text. */
  format?: { name: string; title: string };
  problems: Problem[];
  /** The files the text names as part of itself, by the names they are kept under, there or not. */
  asked: string[];
  application?: Application;
  /** Of this very text; absent if its errors leave none. */
  workflow?: Workflow;
  /** What to draw: of this text, or of the last one that had a graph. */
  model?: GraphModel;
}

export function useCheckedWorkflow(description: Description): Checked {
  const [checked, setChecked] = useState<Checked>(() => check(description));
  useEffect(() => {
    if (checked.description === description) return;
    const { length } = description.text;
    const pauseMs = length < 20_000 ? 120 : length < 500_000 ? 400 : 1200;
    const timer = setTimeout(() => setChecked((last) => check(description, last.model)), pauseMs);
    return () => clearTimeout(timer);
  }, [description, checked.description]);
  return checked;
}

function check(description: Description, lastModel?: GraphModel): Checked {
  if (description.text.trim() === "") return { description, problems: [], asked: [] };
  const asked = new Set<string>();
  const checked = checkWorkflow(description.text, description.name, undefined, (name) => {
    asked.add(companionName(name));
    return readCompanion(description, name);
  });
  const { application, workflow } = checked;
  const problems = hasErrors(checked.problems) ? checked.problems : [...checked.problems, ...runProblems(application)];
  return {
    description,
    format: formats.find(({ name }) => name === checked.format),
    problems,
    asked: [...asked],
    application,
    workflow,
    model: workflow ? graphModel(workflow) : lastModel,
  };
}
