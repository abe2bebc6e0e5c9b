/** Which tasks the table shows: by part of the name, by state. */
import { stateLooks } from "@/components/graph/state-look";
import { count, counted } from "@/components/ui/format";
import { taskStateNames } from "@/core/engine/task-state";
import type { RowQuery } from "./task-rows";

export function TaskFilter({
  query,
  onQuery,
  shown,
  total,
}: {
  query: RowQuery;
  onQuery: (query: RowQuery) => void;
  shown: number;
  total: number;
}) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        type="search"
        placeholder="Filter by name"
        aria-label="Filter tasks by name"
        value={query.text}
        onChange={(event) => onQuery({ ...query, text: event.target.value })}
        className="h-8 w-56 rounded-md border border-rule-strong bg-surface px-2.5"
        data-testid="task-filter"
      />
      <select
        aria-label="Filter tasks by state"
        value={query.state}
        onChange={(event) =>
          onQuery({ ...query, state: taskStateNames.find((name) => name === event.target.value) ?? "all" })
        }
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
        {shown === total ? counted(total, "task") : `${count(shown)} of ${counted(total, "task")}`}
      </span>
    </div>
  );
}
