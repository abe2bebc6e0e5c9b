/** A cluster's or a host's state: a shape, its colour, and the word. */
import type { ClusterState } from "./words";

const shapes: Record<ClusterState, { tone: string; shape: string }> = {
  ready: { tone: "text-good", shape: "M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3z" },
  waiting: { tone: "text-muted", shape: "M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3zm0 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6z" },
  draining: { tone: "text-caution", shape: "M3 4h10L8 13z" },
  off: { tone: "text-faint", shape: "M3 7h10v2.4H3z" },
  trouble: { tone: "text-danger", shape: "M8 2.5 14 13.5H2z" },
};

export function StateMark({ state, word }: { state: ClusterState; word: string }) {
  const { tone, shape } = shapes[state];
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap" data-testid="cluster-state" data-state={state}>
      <svg width="11" height="11" viewBox="0 0 16 16" aria-hidden="true" className={`shrink-0 ${tone}`}>
        <path d={shape} fill="currentColor" fillRule="evenodd" />
      </svg>
      {word}
    </span>
  );
}
