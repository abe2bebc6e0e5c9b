/**
 * How a run's progress looks in a terminal: a bar that redraws itself where there is a terminal, a plain line now and
 * then where there is none (a log file, a pipe).
 */
import { taskStateNames } from "@/core/engine/task-state";
import type { CommandIo } from "./io";

export interface Progress {
  name: string;
  /** Tasks in each state, in the order of `taskStateNames`. */
  counts: readonly number[];
  elapsedMs: number;
}

const plainEveryMs = 5000;

export function describeProgress({ counts }: Pick<Progress, "counts">): string {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const of = (state: (typeof taskStateNames)[number]) => counts[taskStateNames.indexOf(state)] ?? 0;
  const extras = (["running", "failed", "cancelled", "skipped"] as const)
    .filter((state) => of(state) > 0)
    .map((state) => `${of(state)} ${state}`);
  return [`${of("finished")}/${total} finished`, ...extras].join(", ");
}

export function progressBar(progress: Progress, columns: number): string {
  const { counts } = progress;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const finished = counts[taskStateNames.indexOf("finished")] ?? 0;
  const share = total === 0 ? 1 : finished / total;
  const text = ` ${Math.floor(share * 100)}%  ${describeProgress(progress)}  ${describeTime(progress.elapsedMs)}`;
  const width = Math.max(0, Math.min(40, columns - text.length - 3));
  const full = Math.floor(share * width);
  const bar = width > 4 ? `[${"█".repeat(full)}${"░".repeat(width - full)}]` : "";
  return (bar + text).slice(0, Math.max(0, columns - 1));
}

export function describeTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const [minutes, hours] = [Math.floor(seconds / 60) % 60, Math.floor(seconds / 3600)];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

export class ProgressView {
  private drawn = false;
  private lastLine = "";
  private lastPlainMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly io: Pick<CommandIo, "stderr" | "terminalColumns">) {}

  show(progress: Progress): void {
    const columns = this.io.terminalColumns();
    if (columns === undefined) this.sayNowAndThen(progress);
    else this.draw(progressBar(progress, columns));
  }

  /** A line of its own, above the bar. */
  say(line: string): void {
    this.clear();
    this.io.stderr(`${line}\n`);
  }

  /** Takes the bar away. */
  clear(): void {
    if (this.drawn) this.io.stderr("\r\x1b[K");
    this.drawn = false;
  }

  private draw(line: string): void {
    this.io.stderr(`\r\x1b[K${line}`);
    this.drawn = true;
  }

  private sayNowAndThen(progress: Progress): void {
    const line = describeProgress(progress);
    if (line === this.lastLine || progress.elapsedMs - this.lastPlainMs < plainEveryMs) return;
    this.lastLine = line;
    this.lastPlainMs = progress.elapsedMs;
    this.io.stderr(`${progress.name}: ${line}\n`);
  }
}
