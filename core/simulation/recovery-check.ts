/** What a crash must not change: the active runs as the reactor has them, in a form that can be compared. */
import type { Core } from "@/core/engine/state";

export function describeActiveRuns(core: Core): Map<string, string> {
  const runs = new Map<string, string>();
  for (const [id, run] of core.runs) {
    if (run.phase.is === "over") continue;
    const { states, remaining, ordinals, failures, losses } = run.tasks;
    const flights = [...run.flights.values()]
      .flat()
      .map(({ task, ordinal, epoch, agent, phase }) => {
        const moving = phase.is === "cancelling" && phase.moving ? ` moves: ${phase.moving}` : "";
        return `${task}.${ordinal}@${epoch}:${agent.id}${moving}`;
      })
      .sort();
    const columns = [states, remaining, ordinals, failures, losses].map((column) => column.join(","));
    const exceptions = [
      [...run.raised].map(String).sort(),
      [...run.failedOver].sort(),
      [...run.winners].map(String).sort(),
      [...run.answers].map(String).sort(),
      [...run.spawned].sort(),
      [...run.checkpoints].map(([task, { ordinal, files }]) => `${task}: ${ordinal} ${JSON.stringify(files)}`).sort(),
      [...run.particulars].flatMap(([task, { requirement, rank, held }]) =>
        requirement === undefined && rank === undefined && !held ? [] : [`${task}: ${requirement} ${rank} ${held}`],
      ),
    ];
    runs.set(id, [...columns, flights.join(","), ...exceptions.map(String)].join(" | "));
  }
  return runs;
}
