/** The seconds of a task's iterations as bars, oldest first, with a line where it went to another host. */
import type { TaskDetail } from "@/server/api/views";

type Samples = TaskDetail["adaptation"]["samples"];

const width = 300;
const height = 48;

export function Profile({ samples }: { samples: Samples }) {
  const longest = Math.max(...samples.map(({ seconds }) => seconds), Number.MIN_VALUE);
  const step = width / samples.length;
  const last = samples.at(-1)?.seconds ?? 0;
  const best = Math.min(...samples.map(({ seconds }) => seconds));
  return (
    <figure className="grid gap-1" data-testid="profile">
      <figcaption className="label-caps">Iterations</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} className="h-12 w-full" role="img" aria-label={inWords(samples)}>
        {samples.map(({ ordinal, n, seconds }, index) => {
          const tall = Math.max(1, (seconds / longest) * (height - 2));
          const moved = index > 0 && samples[index - 1]?.ordinal !== ordinal;
          return (
            <g key={`${ordinal}.${n}`}>
              <rect
                x={index * step}
                y={height - tall}
                width={Math.max(0.6, step * 0.8)}
                height={tall}
                className="fill-thread"
              />
              {moved ? (
                <path d={`M${index * step} 0v${height}`} className="stroke-ink" strokeDasharray="2 2">
                  <title>moved</title>
                </path>
              ) : null}
            </g>
          );
        })}
      </svg>
      <p className="num text-[0.85rem] text-muted">
        last {seconds(last)}, best {seconds(best)}
      </p>
    </figure>
  );
}

function seconds(value: number): string {
  return `${Number(value.toPrecision(3))} s`;
}

function inWords(samples: Samples): string {
  const moves = samples.filter(({ ordinal }, index) => index > 0 && samples[index - 1]?.ordinal !== ordinal).length;
  return `Seconds of the last ${samples.length} iterations${moves > 0 ? `, moved ${moves} times` : ""}`;
}
