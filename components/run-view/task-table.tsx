"use client";
/** All tasks of a run as a table that filters and sorts; only the rows in view are in the page, between two spacers. */
import { useMemo, useRef, useState, useSyncExternalStore } from "react";
import { commandLine } from "@/components/graph/graph-model";
import { StateTile } from "@/components/graph/state-glyph";
import { stateLooks, stateName } from "@/components/graph/state-look";
import type { TaskStates } from "@/components/graph/task-states";
import type { Workflow } from "@/core/workflow/workflow";
import { SortHeader } from "./sort-header";
import { TaskFilter } from "./task-filter";
import { type RowQuery, type SortKey, taskRows, visibleRows } from "./task-rows";

const rowHeight = 30;

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
  const version = useSyncExternalStore(
    states.subscribe,
    () => states.version,
    () => 0,
  );
  // The bytes change in place; their version stands for them where the rows depend on states.
  const rows = useRows(names, states, query, query.state === "all" && query.sort !== "state" ? 0 : version);
  const { from, to } = visibleRows(rows.length, rowHeight, scroll.top, scroll.height);
  const sortBy = (key: SortKey) =>
    setQuery((old) => ({ ...old, sort: key, descending: old.sort === key ? !old.descending : false }));

  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      <TaskFilter query={query} onQuery={setQuery} shown={rows.length} total={names.length} />
      <div
        className="max-h-[70vh] min-h-48 flex-1 overflow-y-auto border bg-surface"
        ref={useMeasured(setScroll)}
        onScroll={({ currentTarget }) =>
          setScroll({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })
        }
      >
        <table className="w-full table-fixed text-left text-[0.9rem]" aria-rowcount={rows.length + 1}>
          <caption className="sr-only">Tasks</caption>
          <thead className="sticky top-0 z-10 bg-surface text-[0.82rem] text-muted shadow-[inset_0_-1px_var(--rule)]">
            <tr className="h-8">
              <SortHeader label="No." sortKey="index" query={query} onSort={sortBy} className="w-16" />
              <SortHeader label="Task" sortKey="name" query={query} onSort={sortBy} />
              <SortHeader label="State" sortKey="state" query={query} onSort={sortBy} className="w-32" />
              <th className="w-[40%] px-3 font-normal max-sm:hidden">Command</th>
              <th className="w-20 px-3 text-right font-normal max-sm:hidden">Files</th>
            </tr>
          </thead>
          <tbody>
            <Spacer height={from * rowHeight} />
            {Array.from(rows.subarray(from, to), (task, offset) => (
              <Row
                key={task}
                workflow={workflow}
                task={task}
                state={states.of(task)}
                position={from + offset + 2}
                opened={task === opened}
                onOpen={onOpen}
              />
            ))}
            <Spacer height={(rows.length - to) * rowHeight} />
          </tbody>
        </table>
        {rows.length === 0 ? <p className="p-4 text-muted">No task matches this filter.</p> : null}
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

function Spacer({ height }: { height: number }) {
  return height > 0 ? (
    <tr>
      <td colSpan={5} style={{ height, padding: 0 }} />
    </tr>
  ) : null;
}

function Row({
  workflow,
  task,
  state,
  position,
  opened,
  onOpen,
}: {
  workflow: Workflow;
  task: number;
  state: number;
  position: number;
  opened: boolean;
  onOpen: (task: number) => void;
}) {
  const spec = workflow.task(task);
  const name = stateName(state);
  return (
    <tr
      aria-rowindex={position}
      data-testid="task-row"
      data-task-name={spec.name}
      data-state={name}
      className={`border-b border-rule/60 ${opened ? "bg-thread-wash" : "hover:bg-sunken"}`}
      style={{ height: rowHeight }}
    >
      <td className="px-3 font-mono text-[0.8rem] text-faint">{task + 1}</td>
      <td className="px-3">
        <button type="button" className="link block max-w-full truncate" onClick={() => onOpen(task)}>
          {spec.name}
        </button>
      </td>
      <td className="px-3">
        <span className="flex items-center gap-1.5">
          <StateTile state={name} size={16} /> {stateLooks[name].label}
        </span>
      </td>
      <td className="truncate px-3 font-mono text-[0.8rem] text-muted max-sm:hidden">{commandLine(spec.command)}</td>
      <td className="whitespace-nowrap px-3 text-right font-mono text-[0.8rem] text-muted max-sm:hidden">
        {spec.inputs.length} → {spec.outputs.length}
      </td>
    </tr>
  );
}
