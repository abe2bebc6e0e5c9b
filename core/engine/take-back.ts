/**
 * Tasks that were handed out ahead of time, because those before them were short, and now wait behind one that is not:
 * they are taken back and placed again, perhaps where a slot is free. A task that has just begun when it is taken back is
 * stopped and begins again, like one whose agent was lost; so this waits long enough for that to be rare.
 */
import { closeFlight } from "./outcomes";
import { type Agent, type Core, type Flight, refOf } from "./state";

export function takeBack(core: Core): void {
  const before = core.now() - core.settings.takeBackMs;
  for (const agent of core.agents.values()) {
    const { mode, open, heardAt } = agent;
    // Of an agent that was not heard of lately nobody knows what has begun there.
    if (mode.is !== "joined" || open.size <= mode.slots || heardAt < core.now() - core.settings.takeBackMs / 2)
      continue;
    const began = longRunning(agent);
    if (began === undefined || began >= before) continue;
    // Until it has shown otherwise its tasks are long, or it would get the same ones again at once.
    agent.meanRunMs = Math.max(agent.meanRunMs ?? 0, core.now() - began);
    for (const flight of [...open]) if (waits(flight, before)) release(core, flight);
  }
}

/** When it was given the task that it has run for the longest time; by our own clock, whatever the agent's says. */
function longRunning({ open }: Agent): number | undefined {
  let earliest: number | undefined;
  for (const { phase, sentAt } of open) {
    if (phase.is === "started" && (earliest === undefined || sentAt < earliest)) earliest = sentAt;
  }
  return earliest;
}

/** Not tasks that go with their cluster of tasks, nor those whose bag asks for them to be held there (Concurrency). */
function waits({ phase, unit, lane }: Flight, before: number): boolean {
  return phase.is === "sent" && phase.at < before && unit === undefined && lane.concurrency === undefined;
}

function release(core: Core, flight: Flight): void {
  closeFlight(core, flight, { is: "lost", reason: "taken-back" }, {});
  core.send(flight.agent.id, { is: "discard", attempt: refOf(flight) });
}
