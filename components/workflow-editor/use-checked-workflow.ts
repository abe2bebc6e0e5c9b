"use client";
/**
 * Checks the text as one types: parse, build, all problems, in the browser. Waits for a pause in typing, longer
 * for longer texts; while a text has errors that leave no graph, the last good one stays on the page.
 */
import { useEffect, useState } from "react";
import { type GraphModel, graphModel } from "@/components/graph/graph-model";
import type { Problem } from "@/core/problem";
import { checkWorkflow } from "@/core/workflow/check";
import type { Workflow } from "@/core/workflow/workflow";

export interface Checked {
  /** The text this is about. */
  text: string;
  problems: Problem[];
  /** Of this very text; absent if its errors leave none. */
  workflow?: Workflow;
  /** What to draw: of this text, or of the last one that had a graph. */
  model?: GraphModel;
}

export function useCheckedWorkflow(text: string, fileName?: string): Checked {
  const [checked, setChecked] = useState<Checked>(() => check(text, fileName));
  useEffect(() => {
    if (checked.text === text) return;
    const pauseMs = text.length < 20_000 ? 120 : text.length < 500_000 ? 400 : 1200;
    const timer = setTimeout(() => setChecked((last) => check(text, fileName, last.model)), pauseMs);
    return () => clearTimeout(timer);
  }, [text, fileName, checked.text]);
  return checked;
}

function check(text: string, fileName: string | undefined, lastModel?: GraphModel): Checked {
  if (text.trim() === "") return { text, problems: [] };
  const { workflow, problems } = checkWorkflow(text, fileName);
  return { text, problems, workflow, model: workflow ? graphModel(workflow) : lastModel };
}
