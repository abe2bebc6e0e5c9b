"use client";
/**
 * A graph with everything around it: the drawing that fits its size, arrow keys, and the outline. The drawing is
 * one stop for the Tab key; inside it the arrows move, Enter opens a task, Escape lets go.
 */
import { type KeyboardEvent, useState } from "react";
import { counted } from "@/components/ui/format";
import { CanvasGraph } from "./canvas-graph";
import { FlowGraph } from "./flow-graph";
import { domNodeLimit, type GraphModel } from "./graph-model";
import { navigate } from "./navigate";
import { Outline } from "./outline";
import { stateLooks, stateName } from "./state-look";
import type { TaskStates } from "./task-states";

/** The drawing handles its own keys (role application), so it takes the focus as one whole. */
const tabStop = { tabIndex: 0 };

export function GraphPanel({
  model,
  states,
  opened,
  problemTasks,
  onOpen,
  onClose,
  className = "",
}: {
  model: GraphModel;
  states?: TaskStates;
  /** The task whose panel is open, if any. */
  opened?: number;
  problemTasks?: ReadonlySet<string>;
  onOpen: (task: number) => void;
  onClose?: () => void;
  className?: string;
}) {
  const [moved, setMoved] = useState<number>();
  const known = moved !== undefined && moved < model.workflow.taskCount ? moved : undefined;
  const selected = known ?? opened;
  const { workflow, placement } = model;

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter" && selected !== undefined) onOpen(selected);
    else if (event.key === "Escape") {
      setMoved(undefined);
      onClose?.();
    } else {
      const next = navigate(workflow, placement, selected, event.key);
      if (next === undefined) return;
      setMoved(next);
    }
    event.preventDefault();
  }

  const open = (task: number) => {
    setMoved(task);
    onOpen(task);
  };

  return (
    <div className={`flex min-h-0 flex-col ${className}`}>
      <div
        role="application"
        {...tabStop}
        aria-label={`Graph of ${counted(workflow.taskCount, "task")}. Arrow keys move along the edges, Enter opens a task, Escape closes it.`}
        onKeyDown={onKeyDown}
        className="relative min-h-64 flex-1 overflow-hidden border bg-surface focus-visible:outline-offset-[-2px]"
        data-testid="graph"
        data-selected={selected === undefined ? undefined : workflow.name(selected)}
      >
        {workflow.taskCount > domNodeLimit ? (
          <CanvasGraph model={model} states={states} selected={selected} onOpen={open} />
        ) : (
          <div className="absolute inset-0">
            <FlowGraph
              model={model}
              states={states}
              selected={selected}
              problemTasks={problemTasks}
              onSelect={setMoved}
              onOpen={open}
            />
          </div>
        )}
      </div>
      <p className="sr-only" aria-live="polite">
        {known === undefined
          ? ""
          : `${workflow.name(known)}${states ? `, ${stateLooks[stateName(states.of(known))].label}` : ""}`}
      </p>
      <Outline workflow={workflow} states={states} onOpen={open} />
    </div>
  );
}
