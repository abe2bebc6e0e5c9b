/** Which runs the list shows: by part of the name, by state. */
import { runStateLabel, runStateNames } from "@/components/run-view/run-state";
import type { RunState } from "@/core/engine/task-state";

export interface RunFilterQuery {
  name: string;
  state?: RunState;
}

export function RunFilter({ query, onQuery }: { query: RunFilterQuery; onQuery: (query: RunFilterQuery) => void }) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        type="search"
        placeholder="Filter by name"
        aria-label="Filter runs by name"
        value={query.name}
        maxLength={200}
        onChange={(event) => onQuery({ ...query, name: event.target.value })}
        className="h-8 w-56 rounded-md border border-rule-strong bg-surface px-2.5"
        data-testid="run-filter"
      />
      <select
        aria-label="Filter runs by state"
        value={query.state ?? "all"}
        onChange={(event) =>
          onQuery({ name: query.name, state: runStateNames.find((name) => name === event.target.value) })
        }
        className="h-8 rounded-md border border-rule-strong bg-surface px-2"
        data-testid="run-state-filter"
      >
        <option value="all">Any state</option>
        {runStateNames.map((state) => (
          <option key={state} value={state}>
            {runStateLabel(state)}
          </option>
        ))}
      </select>
    </div>
  );
}
