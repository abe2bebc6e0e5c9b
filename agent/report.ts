/**
 * What an exchange says of the attempts: all that are held, what started and ended since it was last confirmed, and new output,
 * each within bounds. What ended is reported with the last of its output, not before.
 */
import type { Ended, Exchange } from "@/core/protocol/agent";
import type { Attempt } from "./attempt";
import type { Stretch } from "./live-output";

/** Most bytes of live output in one exchange, and the fair share of an attempt when many have something to say. */
const outputBudget = 256 * 1024;
const smallestShare = 16 * 1024;

/** Most bytes of ended attempts in one exchange, about; the others follow when these are acknowledged. */
const endedBudget = 4 * 2 ** 20;

/** What an exchange carries, and what its answer confirms. */
export interface Report {
  body: Pick<Exchange, "held" | "started" | "ended" | "output" | "progress">;
  confirm(): void;
}

/** `live`: also output of tasks that still run. */
export function reportOf(attempts: ReadonlyMap<string, Attempt>, live: boolean): Report {
  const body: Report["body"] = { held: [], started: [], ended: [], output: [] };
  const confirmations: (() => void)[] = [];
  const carried: { attempt: Attempt; stretch: Stretch }[] = [];
  const speaking = new Set<Attempt>();
  for (const one of attempts.values()) {
    if ((one.ended || (live && one.phase === "running")) && one.output.hasNews) speaking.add(one);
  }
  const share = Math.max(smallestShare, Math.floor(outputBudget / Math.max(1, speaking.size)));
  let budget = outputBudget;
  let room = endedBudget;
  for (const attempt of attempts.values()) {
    const { attempt: id, epoch } = attempt.assignment;
    body.held.push({ attempt: id, epoch });
    if (attempt.startedAt !== undefined && !attempt.startReported) {
      body.started.push({ attempt: id, epoch, at: attempt.startedAt });
    }
    if (speaking.has(attempt)) {
      const { stretches, bytes, complete } = attempt.output.next(Math.min(share, budget));
      budget -= bytes;
      body.output.push(...stretches);
      for (const stretch of stretches) carried.push({ attempt, stretch });
      if (!complete) continue;
    }
    if (!attempt.ended) {
      const news = attempt.adaptive?.news();
      if (news) {
        body.progress ??= [];
        body.progress.push(news.progress);
        confirmations.push(news.confirm);
      }
      continue;
    }
    const weight = weightOf(attempt.ended);
    if (weight > room && body.ended.length > 0) continue;
    room -= weight;
    body.ended.push(attempt.ended);
  }
  const started = new Set<string>(body.started.map(({ attempt }) => attempt));
  const confirm = () => {
    for (const confirmNews of confirmations) confirmNews();
    for (const { attempt, stretch } of carried) attempt.output.confirm(stretch);
    for (const id of started) {
      const attempt = attempts.get(id);
      if (attempt) attempt.startReported = true;
    }
  };
  return { body, confirm };
}

/** About how many bytes it takes to say; only lists of files can make it long. */
function weightOf({ outcome }: Ended): number {
  const files =
    outcome.is === "succeeded"
      ? outcome.outputs.map(({ name }) => name)
      : outcome.is === "inputs-missing"
        ? outcome.files
        : [];
  return files.reduce((sum, name) => sum + 150 + 2 * name.length, 5000);
}
