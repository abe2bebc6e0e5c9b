/**
 * Replication (GridBot §4.2, Algorithm 2; §6.2, §6.3). Once a cycle (a tick) for each bag in its tail: some of the tasks that
 * are with agents are drawn, those with fewer attempts under way more likely, and if ReplicationRequirements hold another
 * attempt is wanted. It is handed out when there is room that no unsent task could use, never to a host that has one
 * already. The first good result wins; the others are cancelled and counted as waste (outcomes.ts).
 * An attempt whose deadline passed counts as lost; its task is placed again.
 */
import { handOut } from "./hand-out";
import { laneOf } from "./lanes";
import { closeFlight } from "./outcomes";
import { defaultMaxReplicas, readPolicy } from "./policy";
import { isEligible } from "./room";
import { type Agent, type Core, type Flight, type Run, refOf } from "./state";
import { TaskState } from "./task-state";

export function passDeadlines(core: Core): void {
  const now = core.now();
  for (const run of core.runs.values()) {
    if (run.policies.deadline === undefined || run.phase.is !== "going") continue;
    for (const flights of [...run.flights.values()]) {
      for (const flight of [...flights])
        if (flight.deadlineAt !== undefined && flight.deadlineAt <= now) pass(core, flight);
    }
  }
}

function pass(core: Core, flight: Flight): void {
  const { run, task, ordinal, host, agent, sentAt } = flight;
  core.event(run, "deadline-passed", { ordinal, host, seconds: Math.round((core.now() - sentAt) / 1000) }, task);
  run.late.add(task);
  closeFlight(core, flight, { is: "lost", reason: "deadline-passed" }, {});
  core.send(agent.id, { is: "discard", attempt: refOf(flight) });
}

/** One replication cycle. */
export function wantReplicas(core: Core): void {
  for (const run of core.runs.values()) {
    const { replicationRequirements, maxReplicas = defaultMaxReplicas } = run.policies;
    if (replicationRequirements === undefined || run.phase.is !== "going" || !run.tail) continue;
    const { compiled } = readPolicy(replicationRequirements);
    if (!compiled) continue;
    for (const task of draw(core, run, core.settings.replicasPerCycle)) {
      const flights = run.flights.get(task);
      if (!flights || flights.length >= maxReplicas || run.replicasWanted.has(task)) continue;
      const lane = laneOf(core, run, task);
      const replicas = flights.map(({ agent, sentAt }) => ({ host: agent.ad.ad, sentAt }));
      if (lane.scene.judgeReplicas(compiled, replicas) === true) run.replicasWanted.add(task);
    }
  }
}

/** Some of the tasks under way, without repetition, each drawn with a weight of one over its attempts (§6.2). */
function draw(core: Core, run: Run, count: number): number[] {
  const tasks = [...run.flights.keys()];
  if (tasks.length <= count) return tasks.sort((a, b) => run.flights.get(a)!.length - run.flights.get(b)!.length);
  // Exponential clocks: the smallest are a weighted sample.
  const clocks = tasks.map((task) => {
    const attempts = run.flights.get(task)?.length ?? 1;
    return { task, at: -Math.log(1 - core.ports.random.next()) * attempts };
  });
  return clocks
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ task }) => task);
}

/** After an event as many tasks are looked at as keep it short; the next event goes on. */
const mostLookedAt = 50;

export function handOutReplicas(core: Core): void {
  let looked = 0;
  for (const run of core.runs.values()) {
    if (run.replicasWanted.size === 0) continue;
    for (const task of run.replicasWanted) {
      looked += 1;
      if (looked > mostLookedAt || core.free.size === 0) return;
      const flights = run.flights.get(task);
      // An input that got lost is being made again: another attempt would miss it too.
      const stays = run.tasks.states[task] === TaskState.running;
      if (!flights || run.phase.is !== "going" || run.tasks.remaining[task]! > 0 || !stays) {
        run.replicasWanted.delete(task);
        continue;
      }
      const lane = laneOf(core, run, task);
      const agent = bestOther(core, lane, flights);
      if (agent?.mode.is !== "joined") continue;
      run.replicasWanted.delete(task);
      const beside = flights.map(({ host }) => host).join(", ");
      core.event(run, "replica-wanted", { attempts: flights.length, beside, host: agent.mode.host }, task);
      handOut(core, lane, task, agent, "replica");
    }
  }
}

function bestOther(core: Core, lane: Flight["lane"], flights: readonly Flight[]): Agent | undefined {
  const taken = new Set(flights.map(({ host }) => host));
  let best: Agent | undefined;
  let bestRank = Number.NEGATIVE_INFINITY;
  for (const agent of core.free) {
    if (agent.mode.is !== "joined" || taken.has(agent.mode.host) || !isEligible(core, lane, agent)) continue;
    const rank = lane.shelf.judge.hostRank(agent);
    if (best && rank <= bestRank) continue;
    best = agent;
    bestRank = rank;
  }
  return best;
}
