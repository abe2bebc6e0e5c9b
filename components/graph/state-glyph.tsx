/** The glyph of a state, in the colour of the text around it. */
import type { TaskStateName } from "@/core/engine/task-state";
import { stateLooks } from "./state-look";

export function StateGlyph({ state, size = 14 }: { state: TaskStateName; size?: number }) {
  const look = stateLooks[state];
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" className="shrink-0">
      <path
        d={look.glyph}
        fill={look.filled ? "currentColor" : "none"}
        stroke={look.filled ? "none" : "currentColor"}
        strokeWidth={state === "failed" || state === "finished" ? 2.6 : 1.9}
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}

/** A small tile of the state's colour with its glyph: the legend's and the tables' mark. */
export function StateTile({ state, size = 18 }: { state: TaskStateName; size?: number }) {
  const cut =
    state === "failed"
      ? "[clip-path:polygon(25%_0,75%_0,100%_25%,100%_75%,75%_100%,25%_100%,0_75%,0_25%)]"
      : "rounded-sm border";
  return (
    <span
      className={`state-fill inline-flex shrink-0 items-center justify-center ${cut}`}
      data-state={state}
      style={{ width: size, height: size }}
    >
      <StateGlyph state={state} size={Math.round(size * 0.66)} />
    </span>
  );
}
