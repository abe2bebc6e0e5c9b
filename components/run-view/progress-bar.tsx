/** The progress of a run as one bar in the colours of the states; hatched where tasks failed or were cancelled. */

import { TaskState } from "@/core/engine/task-state";
import { progressSegments, progressWords } from "./progress";

export function ProgressBar({
  counts,
  taskCount,
  tall = false,
}: {
  counts: readonly number[];
  taskCount: number;
  tall?: boolean;
}) {
  const finished = counts[TaskState.finished] ?? 0;
  return (
    <div
      role="progressbar"
      aria-valuemin={0}
      aria-valuemax={taskCount}
      aria-valuenow={finished}
      aria-valuetext={progressWords(counts)}
      aria-label="Progress"
      data-testid="run-progress"
      data-finished={finished}
      className={`flex w-full gap-px overflow-hidden rounded-sm bg-sunken ${tall ? "h-4" : "h-2"}`}
    >
      {progressSegments(counts).map((segment) => (
        <div
          key={segment.state}
          className="state-fill state-hatch h-full transition-[flex-grow] duration-300"
          data-state={segment.state}
          title={`${segment.count} ${segment.state}`}
          style={{ flexGrow: segment.share, flexBasis: 0 }}
        />
      ))}
    </div>
  );
}
