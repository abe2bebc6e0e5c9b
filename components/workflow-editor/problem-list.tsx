/** The problems of a workflow, worst first; each with its file, line and column, and leading there. */
import { CircleX, TriangleAlert } from "lucide-react";
import type { Problem } from "@/core/problem";
import { type Description, placeLabel } from "./description";

const shown = 100;

export function ProblemList({
  problems,
  description,
  onShow,
}: {
  description: Description;
  problems: readonly Problem[];
  onShow: (problem: Problem) => void;
}) {
  if (problems.length === 0) return null;
  const ordered = [...problems].sort((a, b) => rank(a) - rank(b));
  return (
    <section
      aria-label="Problems"
      className="max-h-44 overflow-y-auto border border-t-0 bg-surface text-[0.9rem]"
      data-testid="problems"
    >
      <ul>
        {ordered.slice(0, shown).map((problem) => {
          const Icon = problem.severity === "error" ? CircleX : TriangleAlert;
          return (
            <li key={keyOf(problem)} className="border-b border-rule/60 last:border-b-0">
              <button
                type="button"
                onClick={() => onShow(problem)}
                className="flex w-full items-start gap-x-2 px-3 max-sm:flex-wrap py-1.5 text-left hover:bg-sunken"
                data-testid="problem"
                data-severity={problem.severity}
              >
                <Icon
                  size={15}
                  className={`mt-[3px] shrink-0 ${problem.severity === "error" ? "text-danger" : "text-caution"}`}
                  aria-label={problem.severity}
                />
                <span className="min-w-0 flex-1 break-words">{problem.message}</span>
                <span className="num mt-px max-w-[45%] shrink-0 break-all text-right font-mono text-[0.82rem] text-muted max-sm:max-w-full max-sm:basis-full max-sm:pl-6 max-sm:text-left">
                  {placeLabel(problem, description)}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      {ordered.length > shown ? <p className="px-3 py-1.5 text-muted">and {ordered.length - shown} more</p> : null}
    </section>
  );
}

function rank(problem: Problem): number {
  return (problem.severity === "error" ? 0 : 1e9) + (problem.at?.line ?? 0);
}

/** The checks report nothing twice, so code, place and words tell problems apart. */
function keyOf({ code, at, inFile, message }: Problem): string {
  return `${code}:${at?.line}:${at?.column}:${inFile?.name}:${inFile?.at.line}:${inFile?.at.column}:${message}`;
}
