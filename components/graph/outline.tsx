"use client";
/** The graph in words for those who cannot see it: each task with its state, what it waits for and what follows. */
import { useState, useSyncExternalStore } from "react";
import { counted } from "@/components/ui/format";
import type { Workflow } from "@/core/workflow/workflow";
import { stateLooks, stateName } from "./state-look";
import type { TaskStates } from "./task-states";

/** Enough to read by ear; the table of tasks has the rest, with a filter. */
const readable = 200;
const nothing = () => () => {};

export function Outline({
  workflow,
  states,
  onOpen,
}: {
  workflow: Workflow;
  states?: TaskStates;
  onOpen: (task: number) => void;
}) {
  const [open, setOpen] = useState(false);
  return (
    <details className="text-[0.88rem]" onToggle={(event) => setOpen(event.currentTarget.open)} data-testid="outline">
      <summary className="py-1 text-muted hover:text-ink">The graph as a list</summary>
      {open ? <OutlineList workflow={workflow} states={states} onOpen={onOpen} /> : null}
    </details>
  );
}

function OutlineList({
  workflow,
  states,
  onOpen,
}: {
  workflow: Workflow;
  states?: TaskStates;
  onOpen: (task: number) => void;
}) {
  const read = () => states?.version ?? 0;
  useSyncExternalStore(states?.subscribe ?? nothing, read, read);
  const shown = Math.min(workflow.taskCount, readable);
  return (
    <>
      <ol className="grid gap-0.5 pb-2">
        {Array.from({ length: shown }, (_, task) => (
          <li key={workflow.name(task)}>
            <button type="button" className="link text-left" onClick={() => onOpen(task)}>
              {workflow.name(task)}
            </button>
            <span className="text-muted">
              {states ? `, ${stateLooks[stateName(states.of(task))].label.toLowerCase()}` : ""}
              {sentence(workflow, task)}
            </span>
          </li>
        ))}
      </ol>
      {workflow.taskCount > shown ? (
        <p className="pb-2 text-muted">and {counted(workflow.taskCount - shown, "further task")}.</p>
      ) : null}
    </>
  );
}

function sentence(workflow: Workflow, task: number): string {
  const before = namesOf(workflow, workflow.predecessors, task);
  const after = namesOf(workflow, workflow.successors, task);
  const needs = before ? `after ${before}` : "needs no other task";
  return `: ${needs}${after ? `; then ${after}` : ""}.`;
}

function namesOf(workflow: Workflow, edges: Workflow["successors"], task: number): string {
  const tasks = edges.targets.subarray(edges.offsets[task], edges.offsets[task + 1]);
  const names = [...tasks.subarray(0, 5)].map((other) => workflow.name(other)).join(", ");
  return tasks.length > 5 ? `${names} and ${tasks.length - 5} more` : names;
}
