/** What the colours and glyphs mean; always beside a coloured graph or bar, with counts where they are known. */

import { count } from "@/components/ui/format";
import { taskStateNames } from "@/core/engine/task-state";
import { StateTile } from "./state-glyph";
import { stateLooks } from "./state-look";

export function Legend({ counts }: { counts?: readonly number[] }) {
  return (
    <ul
      className="flex flex-wrap items-center gap-x-4 gap-y-1 text-[0.85rem]"
      aria-label="Legend: states of tasks"
      data-testid="legend"
    >
      {taskStateNames.map((state, index) => (
        <li key={state} className="flex items-center gap-1.5" title={stateLooks[state].meaning}>
          <StateTile state={state} size={16} />
          <span className="text-muted">{stateLooks[state].label}</span>
          {counts ? (
            <span className="num font-mono text-[0.82rem]" data-testid={`count-${state}`}>
              {count(counts[index] ?? 0)}
            </span>
          ) : null}
        </li>
      ))}
    </ul>
  );
}
