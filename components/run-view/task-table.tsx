"use client";
/** All tasks of a run as a table that filters and sorts; only the rows in view are in the page. */
import { ArrowDown, ArrowUp } from "lucide-react";
import { useMemo, useRef, useState, useSyncExternalStore } from "react";
import { commandLine } from "@/components/graph/graph-model";
import { StateTile } from "@/components/graph/state-glyph";
import { stateLooks, stateName } from "@/components/graph/state-look";
import type { TaskStates } from "@/components/graph/task-states";
import { count, counted } from "@/components/ui/format";
import { taskStateNames } from "@/core/engine/task-state";
import type { Workflow } from "@/core/workflow/workflow";
import { type RowQuery, type SortKey, taskRows, visibleRows } from "./task-rows";

const rowHeight = 30;
const grid = "grid grid-cols-[4.5rem_minmax(7rem,1fr)_8rem_minmax(0,2fr)_5rem] max-sm:grid-cols-[3.2rem_minmax(6rem,1fr)_7rem] items-center gap-x-3 px-3";

export function TaskTable({
  workflow,
  states,
  opened,
  onOpen,
}: {
  workflow: Workflow;
  states: TaskStates;
  opened?: number;
  onOpen: (task: number) => void;
}) {
  const [query, setQuery] = useState<RowQuery>({ text: "", state: "all", sort: "index", descending: false });
  const [scroll, setScroll] = useState({ top: 0, height: 600 });
  const names = useMemo(() => Array.from({ length: workflow.taskCount }, (_, task) => workflow.name(task)), [workflow]);
  const version = useSyncExternalStore(states.subscribe, () => states.version, () => 0);
  // The bytes change in place; their version stands for them. Sorting by index or name without a state filter ignores states.
  const rows = useRows(names, states, query, query.state === "all" && query.sort !== "state" ? 0 : version);
  const { from, to } = visibleRows(rows.length, rowHeight, scroll.top, scroll.height);

  const sortBy = (key: SortKey) =>
    setQuery((old) => ({ ...old, sort: key, descending: old.sort === key ? !old.descending : false }));

  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <input
          type="search"
          placeholder="Filter by name"
          aria-label="Filter tasks by name"
          value={query.text}
          onChange={(event) => setQuery((old) => ({ ...old, text: event.target.value }))}
          className="h-8 w-56 rounded-md border border-rule-strong bg-surface px-2.5"
          data-testid="task-filter"
        />
        <select
          aria-label="Filter tasks by state"
          value={query.state}
          onChange={(event) => {
            const state = taskStateNames.find((name) => name === event.target.value) ?? "all";
            setQuery((old) => ({ ...old, state }));
          }}
          className="h-8 rounded-md border border-rule-strong bg-surface px-2"
          data-testid="task-state-filter"
        >
          <option value="all">Any state</option>
          {taskStateNames.map((state) => (
            <option key={state} value={state}>
              {stateLooks[state].label}
            </option>
          ))}
        </select>
        <span className="num text-[0.88rem] text-muted" role="status">
          {rows.length === names.length ? counted(names.length, "task") : `${count(rows.length)} of ${counted(names.length, "task")}`}
        </span>
      </div>
      {/* A grid of rows rather than a table: a table cannot be scrolled by rows that are not there. */}
      <div
        role="table"
        aria-rowcount={rows.length + 1}
        aria-label="Tasks"
        className="flex min-h-0 flex-1 flex-col overflow-hidden border bg-surface"
      >
        <div role="row" className={`${grid} h-8 border-b text-[0.82rem] text-muted`}>
          <SortHeader label="No." sortKey="index" query={query} onSort={sortBy} />
          <SortHeader label="Task" sortKey="name" query={query} onSort={sortBy} />
          <SortHeader label="State" sortKey="state" query={query} onSort={sortBy} />
          <span role="columnheader" className="max-sm:hidden">
            Command
          </span>
          <span role="columnheader" className="text-right max-sm:hidden">
            Files
          </span>
        </div>
        <div
          role="rowgroup"
          className="max-h-[70vh] min-h-48 flex-1 overflow-y-auto"
          ref={useMeasured(setScroll)}
          onScroll={(event) => setScroll({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
        >
          <div style={{ height: rows.length * rowHeight, position: "relative" }}>
            {Array.from(rows.subarray(from, to), (task, offset) => (
              <Row
                key={task}
                workflow={workflow}
                task={task}
                state={states.of(task)}
                top={(from + offset) * rowHeight}
                position={from + offset + 2}
                opened={task === opened}
                onOpen={onOpen}
              />
            ))}
          </div>
          {rows.length === 0 ? <p className="p-4 text-muted">No task matches this filter.</p> : null}
        </div>
      </div>
    </div>
  );
}

function useRows(names: string[], states: TaskStates, query: RowQuery, version: number): Uint32Array {
  const cache = useRef<{ names: string[]; query: RowQuery; version: number; rows: Uint32Array }>(undefined);
  const known = cache.current;
  if (known && known.names === names && known.query === query && known.version === version) return known.rows;
  const rows = taskRows(names, states.bytes, query);
  cache.current = { names, query, version, rows };
  return rows;
}

function useMeasured(set: (size: { top: number; height: number }) => void) {
  return useMemo(
    () => (element: HTMLDivElement | null) => {
      if (!element) return;
      const observer = new ResizeObserver(() => set({ top: element.scrollTop, height: element.clientHeight }));
      observer.observe(element);
      return () => observer.disconnect();
    },
    [set],
  );
}

function SortHeader({ label, sortKey, query, onSort }: { label: string; sortKey: SortKey; query: RowQuery; onSort: (key: SortKey) => void }) {
  const active = query.sort === sortKey;
  const Arrow = query.descending ? ArrowUp : ArrowDown;
  return (
    <span role="columnheader" aria-sort={active ? (query.descending ? "descending" : "ascending") : "none"}>
      <button type="button" onClick={() => onSort(sortKey)} className="inline-flex items-center gap-1 hover:text-ink">
        {label}
        {active ? <Arrow size={12} aria-hidden="true" /> : null}
      </button>
    </span>
  );
}

function Row({
  workflow,
  task,
  state,
  top,
  position,
  opened,
  onOpen,
}: {
  workflow: Workflow;
  task: number;
  state: number;
  top: number;
  position: number;
  opened: boolean;
  onOpen: (task: number) => void;
}) {
  const spec = workflow.task(task);
  const name = stateName(state);
  return (
    <div
      role="row"
      aria-rowindex={position}
      data-testid="task-row"
      data-task-name={spec.name}
      data-state={name}
      className={`${grid} absolute inset-x-0 border-b border-rule/60 text-[0.9rem] ${opened ? "bg-thread-wash" : "hover:bg-sunken"}`}
      style={{ top, height: rowHeight }}
    >
      <span role="cell" className="num font-mono text-[0.8rem] text-faint">
        {task + 1}
      </span>
      <span role="cell" className="min-w-0">
        <button type="button" className="link block max-w-full truncate" onClick={() => onOpen(task)}>
          {spec.name}
        </button>
      </span>
      <span role="cell" className="flex items-center gap-1.5">
        <StateTile state={name} size={16} /> {stateLooks[name].label}
      </span>
      <code role="cell" className="truncate text-[0.8rem] text-muted max-sm:hidden">
        {commandLine(spec.command)}
      </code>
      <span role="cell" className="num text-right font-mono text-[0.8rem] text-muted max-sm:hidden">
        {spec.inputs.length}→{spec.outputs.length}
      </span>
    </div>
  );
}
