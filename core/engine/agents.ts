/**
 * Agents: joining, telling what they hold, falling silent, leaving (DI-3).
 *
 *   unknown → expected   a recovered run has an attempt with it
 *   unknown, expected → joined
 *   expected, joined → given up   silent too long: its attempts are lost and run elsewhere; whatever it says later is
 *                                 answered with `refuse`
 *   joined → unknown     it said goodbye
 */
import { serveBound } from "./early";
import { assignment } from "./hand-out";
import { hostAd, refreshHostAd } from "./host-ad";
import { type AttemptRef, parseAttemptId } from "./ids";
import { type Facts, LiveAd } from "./live-ad";
import type { Held } from "./messages";
import { probe } from "./monitor";
import type { JobLoss, LossReason } from "./outcome";
import { closeFlight } from "./outcomes";
import type { JoiningAgent } from "./plan";
import type { ToAgent } from "./ports";
import { nodeOf } from "./preferences";
import { type Agent, type Core, type Flight, type Run, refOf } from "./state";
import { TaskState } from "./task-state";

export function joinAgent(core: Core, joining: JoiningAgent, held: readonly Held[]): void {
  if (refuseIfGivenUp(core, joining.id)) return;
  const cluster = core.cluster(joining.cluster);
  const { host, slots, named = {} } = joining;
  const has = {
    memoryBytes: joining.memoryBytes ?? Number.POSITIVE_INFINITY,
    diskBytes: joining.diskBytes ?? Number.POSITIVE_INFINITY,
    named,
  };
  const agent = core.agents.get(joining.id) ?? addAgent(core, joining.id);
  leaveCluster(core, agent);
  agent.mode = { is: "joined", joining, cluster, host, slots, record: core.host(cluster.id, host), has };
  agent.ad = hostAd(joining);
  agent.node = nodeOf(joining, cluster);
  agent.version = core.newVersion();
  agent.heardAt = core.now();
  cluster.members.add(agent);
  refreshHostAd(core, agent);
  core.preferencesStale = true;
  core.offer(agent);
  reconcile(core, agent, held);
  if (!joining.bound) return;
  core.boundAgents.add(agent);
  serveBound(core, agent);
}

export function noteFacts(core: Core, id: string, facts: Facts): void {
  const agent = core.agents.get(id);
  if (agent?.mode.is !== "joined") return;
  const { cluster, host, slots, joining } = agent.mode;
  agent.mode.joining = { ...joining, cluster: cluster.id, host, slots, facts: { ...joining.facts, ...facts } };
  agent.ad = hostAd(agent.mode.joining);
  agent.version = core.newVersion();
  refreshHostAd(core, agent);
  core.preferencesStale = true;
  if (cluster.policy.failOver) core.unblockAll();
  core.offer(agent);
}

const nothingKnown = new LiveAd([]);

function addAgent(core: Core, id: string): Agent {
  const agent: Agent = {
    id,
    index: core.takeIndex(),
    version: core.newVersion(),
    keptVersion: core.newVersion(),
    open: new Set(),
    used: { cores: 0, memoryBytes: 0, diskBytes: 0, named: new Map() },
    heardAt: core.now(),
    mode: { is: "expected", until: core.now() + core.settings.recoveryGraceMs },
    ad: nothingKnown,
    node: {},
    meanRunMs: undefined,
    bytesPerSecond: undefined,
    job: undefined,
    freeStamp: 0,
    reservedFor: undefined,
  };
  core.agents.set(id, agent);
  return agent;
}

/** For attempts of a recovered run: the agent is known to exist and gets time to come back. */
export function expectAgent(core: Core, id: string): Agent {
  return core.agents.get(id) ?? addAgent(core, id);
}

/** It was given up before its run came back: its attempts are to be lost at once. */
export function rememberAgent(core: Core, id: string): Agent {
  const agent = addAgent(core, id);
  core.agents.delete(id);
  core.giveBackIndex(agent.index);
  return agent;
}

/** Someone spoke. Returns the agent if it is one of ours; otherwise it was told what to do. */
export function hear(core: Core, id: string): Agent | undefined {
  if (refuseIfGivenUp(core, id)) return undefined;
  const agent = core.agents.get(id);
  if (agent) agent.heardAt = core.now();
  if (agent?.mode.is !== "joined") core.send(id, { is: "who-is" });
  return agent;
}

function refuseIfGivenUp(core: Core, id: string): boolean {
  if (!core.givenUp.has(id)) return false;
  core.send(id, { is: "refuse" });
  return true;
}

/**
 * The agent's whole inventory against ours. What we believe it has and it has not never arrived: sent again, which is
 * harmless if it arrives twice. What it has and nobody waits for is taken from it.
 */
export function reconcile(core: Core, agent: Agent, held: readonly Held[]): void {
  const seen = new Set<Flight>();
  for (const { attempt, epoch } of held) {
    const ref = parseAttemptId(attempt);
    if (!ref) continue;
    const flight = findFlight(core, agent.id, ref, epoch);
    if (flight) seen.add(flight);
    else answerStale(core, agent.id, ref);
  }
  for (const flight of [...agent.open]) {
    const cancelling = flight.phase.is === "cancelling";
    if (seen.has(flight)) {
      if (flight.phase.is === "cancelling") core.send(agent.id, cancelOf(flight));
    } else if (cancelling) {
      // It never arrived, or will arrive late and be discarded: there is nothing left to stop.
      closeFlight(core, flight, { is: "cancelled" }, {});
    } else {
      core.send(agent.id, assignment(flight));
    }
  }
}

/** A task that moves is ended when its restart files are safe. */
function cancelOf(flight: Flight): ToAgent {
  const moves = flight.phase.is === "cancelling" && flight.phase.moving !== undefined;
  return { is: "cancel", attempt: refOf(flight), ...(moves ? { checkpoint: true } : {}) };
}

export function findFlight(core: Core, agent: string, ref: AttemptRef, epoch: number): Flight | undefined {
  const flights = core.runs.get(ref.run)?.flights.get(ref.task);
  return flights?.find(
    (flight) => flight.ordinal === ref.ordinal && flight.epoch === epoch && flight.agent.id === agent,
  );
}

/**
 * A report on an attempt that is not open. A success that is recorded is acknowledged again, so that the agent may keep
 * the files it holds for later tasks; anything else is of no use to anybody.
 */
export function answerStale(core: Core, agent: string, attempt: AttemptRef): void {
  const run = core.runs.get(attempt.run);
  const winner = run?.winners.get(attempt.task) ?? run?.tasks.ordinals[attempt.task];
  const recorded = run?.tasks.states[attempt.task] === TaskState.finished && winner === attempt.ordinal;
  core.send(agent, { is: recorded ? "acknowledge" : "discard", attempt });
}

export function agentLeft(core: Core, id: string): void {
  const agent = core.agents.get(id);
  if (agent) dropAgent(core, agent, "agent-stopped");
}

/** Whoever runs the cluster's jobs knows that the agent is gone: whatever it may still say comes too late. */
export function agentEnded(core: Core, id: string, reason: JobLoss): void {
  const agent = core.agents.get(id);
  if (!agent) return;
  core.givenUp.add(id);
  dropAgent(core, agent, reason);
  core.send(id, { is: "refuse" });
}

/** Silence is judged by our own clock, so a time in which we could not listen does not count. */
export function giveUpSilentAgents(core: Core): void {
  const now = core.now();
  const { agentSilentMs } = core.settings;
  const sinceTick = now - core.lastTick;
  const slept = sinceTick < 0 || sinceTick > agentSilentMs / 2;
  core.lastTick = now;
  for (const agent of [...core.agents.values()]) {
    if (slept) {
      agent.heardAt = now;
      if (agent.job) agent.job.since = now;
      if (agent.mode.is === "expected") agent.mode.until = now + core.settings.recoveryGraceMs;
    }
    const since = now - agent.heardAt;
    const probed = probe(core, agent);
    const silent = agent.mode.is === "expected" ? now > agent.mode.until : since > agentSilentMs;
    // The host is asked before it is given up (GW-10); a job that has ended need not be waited for.
    if (probed === "answers" || (!silent && probed === undefined)) continue;
    core.givenUp.add(agent.id);
    for (const [run, attempts] of attemptsByRun(agent)) {
      const host = agent.mode.is === "joined" ? agent.mode.host : attempts[0]!.host;
      core.event(run, "agent-lost", { agent: agent.id, host, attempts: attempts.length, silentMs: since });
    }
    dropAgent(core, agent, probed ?? "agent-silent");
    core.send(agent.id, { is: "refuse" });
  }
}

function attemptsByRun(agent: Agent): Map<Run, Flight[]> {
  const byRun = new Map<Run, Flight[]>();
  for (const flight of agent.open) {
    const flights = byRun.get(flight.run);
    if (flights) flights.push(flight);
    else byRun.set(flight.run, [flight]);
  }
  return byRun;
}

function dropAgent(core: Core, agent: Agent, reason: LossReason): void {
  core.agents.delete(agent.id);
  core.boundAgents.delete(agent);
  leaveCluster(core, agent);
  for (const flight of [...agent.open]) closeFlight(core, flight, { is: "lost", reason }, {});
  core.free.delete(agent);
  core.giveBackIndex(agent.index);
}

function leaveCluster(core: Core, agent: Agent): void {
  core.free.delete(agent);
  if (agent.reservedFor) agent.reservedFor.reserved = undefined;
  agent.reservedFor = undefined;
  if (agent.mode.is !== "joined") return;
  const { cluster } = agent.mode;
  cluster.members.delete(agent);
  // What failed elsewhere may go elsewhere again if there is no refuge any more.
  if (cluster.policy.failOver) core.unblockAll();
}
