/**
 * When to tell readers that a run changed: at once, then at most once an interval, and always once more after the last change.
 */
import type { RunId } from "@/core/engine/ids";

interface Notice {
  lastTold: number;
  /** Set while a change waits for its turn. */
  timer?: NodeJS.Timeout;
}

export class RunNotices {
  private readonly notices = new Map<RunId, Notice>();

  constructor(
    private readonly intervalMs: number,
    /** A change that had to wait may be told now. */
    private readonly onDue: (run: RunId) => void,
  ) {}

  /** True: tell it with this commit. False: `onDue` will say when. */
  mayTell(run: RunId, now: number): boolean {
    const notice = this.notices.get(run);
    if (notice?.timer) return false;
    const wait = notice ? notice.lastTold + this.intervalMs - now : 0;
    if (wait <= 0) {
      this.notices.set(run, { lastTold: now });
      return true;
    }
    notice!.timer = setTimeout(() => {
      this.notices.set(run, { lastTold: now + wait });
      this.onDue(run);
    }, wait);
    return false;
  }

  /** The run ended and was told: nothing more will follow. */
  forget(run: RunId): void {
    clearTimeout(this.notices.get(run)?.timer);
    this.notices.delete(run);
  }

  close(): void {
    for (const run of [...this.notices.keys()]) this.forget(run);
  }
}
