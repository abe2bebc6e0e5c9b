/**
 * The reactor: a state machine over the ports. Something happened → the state changes, records are appended, messages are
 * sent; nothing is awaited, and after every event no ready task is left beside a free slot it may use.
 *
 * A run
 *   going      submitted or recovered. Tasks become ready as their predecessors finish and are handed out in turn with
 *              other runs. A permanent failure stops only what depends on it.
 *     → killing  kill: what has not started is cancelled, agents are told to stop the rest.
 *     → over     nothing is in flight and nothing is ready: `succeeded` if every task finished, else `failed`.
 *   killing    nothing starts; waits for what is in flight. A result that still arrives is kept.
 *     → over     nothing is in flight: `killed` (or `succeeded`, if every task got through after all).
 *   over       kept at hand for a while, then forgotten.
 *     → going    retry-failed on a `failed` or `killed` run.
 *
 * A task: task-table.ts has the one table of transitions.
 *
 * An attempt in flight (a task may have several: replicas)
 *   sent       its intent is committed with our epoch, then the agent hears of it; sent again whenever the agent's
 *              inventory lacks it.
 *     → started     the agent says so (for people's eyes; nothing depends on it)
 *     → cancelling  the run is killed
 *   It ends with the agent's report, or as lost with its agent. A report counts only if attempt, epoch and agent are those
 *   of the attempt in flight; otherwise it was recorded before (acknowledged again) or is stale (discarded). The outcome is
 *   appended before the acknowledgement is sent, and the ports release no message before what was appended is committed.
 *
 * An agent: agents.ts.
 *
 * The host (server/engine, or the simulator) recovers every active run before it lets agents speak, tells the
 * policies of all clusters, repeats commands until they are done, and calls `onTick` about once a second.
 */

import type { Candidate, Progress, RestartSet } from "@/core/protocol/agent";
import {
  agentEnded,
  agentLeft,
  answerStale,
  findFlight,
  giveUpSilentAgents,
  hear,
  joinAgent,
  noteFacts,
  reconcile,
} from "./agents";
import { obey } from "./commands";
import { type Demand, demandOf } from "./demand";
import { dispatch } from "./dispatch";
import { lookAgain, wantAgents, wantedFailed } from "./early";
import { hostList } from "./host-list";
import { forgive } from "./host-record";
import { type AgentId, type AttemptId, type AttemptRef, parseAttemptId, type RunId } from "./ids";
import type { Facts } from "./live-ad";
import type { Held } from "./messages";
import { monitor, noteJob, noteSet, takeProgress } from "./monitor";
import type { JobLoss, Outcome, Usage } from "./outcome";
import { closeFlight } from "./outcomes";
import { fromCandidates } from "./particular";
import type { ClusterPolicy, Command, JoiningAgent, RecoveredRun, RunPlan } from "./plan";
import type { Ports } from "./ports";
import { refreshPreferences } from "./preferences";
import { forgetEndedRuns } from "./progress";
import { recoverRun, takeRun } from "./recover";
import { passDeadlines, wantReplicas } from "./replicate";
import { reserveForTheBig } from "./reserve";
import { type ReuseAnswer, takeReuseAnswer } from "./reuse";
import { defaultSettings, type Settings } from "./settings";
import { Core, refOf } from "./state";
import { takeBack } from "./take-back";
import { changeTask } from "./task-change";
import type { TaskState } from "./task-state";
import { tellUnservedRuns, type WaitingReason, whyWaiting } from "./waiting";

export type ReactorSettings = Pick<Settings, "epoch"> & Partial<Settings>;

export class Reactor {
  private readonly core: Core;

  constructor(ports: Ports, settings: ReactorSettings, makeCore = (p: Ports, s: Settings) => new Core(p, s)) {
    this.core = makeCore(ports, { ...defaultSettings, ...settings });
  }

  /** Commands for a run that is not held need `onRunRecovered` first. */
  holds(run: RunId): boolean {
    return this.core.runs.has(run);
  }

  stateOf(run: RunId, task: number): TaskState | undefined {
    return this.core.runs.get(run)?.tasks.state(task);
  }

  whyWaiting(run: RunId, task: number): WaitingReason {
    const held = this.core.runs.get(run);
    return held ? whyWaiting(this.core, held, task) : { is: "not-waiting" };
  }

  /** What waits for agents, for whoever gets them started. */
  demand(): Demand[] {
    return demandOf(this.core);
  }

  onRunSubmitted(plan: RunPlan): void {
    takeRun(this.core, plan);
    this.afterEvent();
  }

  /** Throws `UnreadableRun` (recover.ts) if what is recovered makes no sense; then the run is not held. */
  onRunRecovered(plan: RunPlan, recovered: RecoveredRun): void {
    recoverRun(this.core, plan, recovered);
    this.afterEvent();
  }

  onAgentJoined(agent: JoiningAgent, held: readonly Held[]): void {
    joinAgent(this.core, agent, held);
    this.afterEvent();
  }

  onAgentInventory(id: AgentId, held: readonly Held[]): void {
    const agent = hear(this.core, id);
    if (agent?.mode.is === "joined") reconcile(this.core, agent, held);
    this.afterEvent();
  }

  onAgentsAlive(ids: readonly AgentId[]): void {
    for (const id of ids) hear(this.core, id);
  }

  onAgentLeft(id: AgentId): void {
    agentLeft(this.core, id);
    this.afterEvent();
  }

  /** Its job is over, by the batch system's word: its tasks run elsewhere without waiting for its silence (GW-7). */
  onAgentEnded(id: AgentId, reason: JobLoss): void {
    agentEnded(this.core, id, reason);
    this.afterEvent();
  }

  /** Of what was wanted for this attempt at this moment (`agent-wanted`), no agent came. */
  onAgentNotStarted(attempt: AttemptRef, askedAt: number, problem: string): void {
    wantedFailed(this.core, attempt, askedAt, problem);
    this.afterEvent();
  }

  onAttemptStarted(agent: AgentId, attempt: AttemptId, epoch: number, at: number): void {
    const { core } = this;
    const ref = parseAttemptId(attempt);
    if (!ref || (!hear(core, agent) && core.givenUp.has(agent))) return;
    const flight = findFlight(core, agent, ref, epoch);
    if (!flight) answerStale(core, agent, ref);
    else if (flight.phase.is === "sent") {
      flight.phase = { is: "started", at };
      core.ports.journal.append({ is: "attempt-started", attempt: refOf(flight), at });
    }
  }

  onAttemptEnded(agent: AgentId, attempt: AttemptId, epoch: number, outcome: Outcome, usage: Usage): void {
    const { core } = this;
    const ref = parseAttemptId(attempt);
    if (!ref || (!hear(core, agent) && core.givenUp.has(agent))) return;
    const flight = findFlight(core, agent, ref, epoch);
    if (flight) {
      closeFlight(core, flight, outcome, usage);
      core.send(agent, { is: "acknowledge", attempt: refOf(flight) });
    } else answerStale(core, agent, ref);
    this.afterEvent();
  }

  /** What a running task tells of itself: restart files, iterations, what it needs from now on. */
  onProgress(agent: AgentId, { attempt, epoch, ...progress }: Progress): void {
    const { core } = this;
    const ref = parseAttemptId(attempt);
    if (!ref || (!hear(core, agent) && core.givenUp.has(agent))) return;
    const flight = findFlight(core, agent, ref, epoch);
    if (!flight) return;
    takeProgress(core, flight, progress);
    this.afterEvent();
  }

  /** With an end: the restart files it left, and the hosts that the user's own selector chose. */
  onLastWords(agent: AgentId, attempt: AttemptId, epoch: number, set?: RestartSet, candidates?: Candidate[]): void {
    const { core } = this;
    const ref = parseAttemptId(attempt);
    const flight = ref && findFlight(core, agent, ref, epoch);
    if (!flight) return;
    if (set) noteSet(core, flight, set);
    if (candidates) changeTask(core, flight.run, flight.task, fromCandidates(candidates));
  }

  /** For a task's own resource selector (GW-4); nothing if it has chosen already. */
  hostList({ run, task }: AttemptRef): string | undefined {
    const held = this.core.runs.get(run);
    if (!held || held.particulars.get(task)?.requirement !== undefined) return undefined;
    return hostList(this.core, held, task);
  }

  /** How the batch system has the job of an agent. */
  onAgentJob(id: AgentId, state: string): void {
    const agent = this.core.agents.get(id);
    if (agent) noteJob(this.core, agent, state);
  }

  /** What an agent's host is like now: expressions see the new facts from the next decision on. */
  onHostFacts(id: AgentId, facts: Facts): void {
    noteFacts(this.core, id, facts);
    this.afterEvent();
  }

  onReuseAnswer(run: RunId, task: number, answer: ReuseAnswer): void {
    takeReuseAnswer(this.core, run, task, answer);
    this.afterEvent();
  }

  /** False if the run is not held: recover it, then repeat the command. */
  onCommand(command: Command): boolean {
    const known = obey(this.core, command);
    this.afterEvent();
    return known;
  }

  onClusterPolicy(policy: ClusterPolicy): void {
    this.core.cluster(policy.cluster).policy = policy;
    this.core.preferencesStale = true;
    this.core.unblockAll();
    this.afterEvent();
  }

  onTick(): void {
    const { core } = this;
    giveUpSilentAgents(core);
    forgetEndedRuns(core);
    forgive(core);
    refreshPreferences(core);
    passDeadlines(core);
    takeBack(core);
    wantReplicas(core);
    reserveForTheBig(core);
    lookAgain(core);
    monitor(core);
    core.queueAd.set(0, core.runs.size);
    // What changed by itself since the last tick (loads, error rates, time) may let a waiting task in.
    core.unblockAll();
    this.afterEvent();
    tellUnservedRuns(core);
  }

  private afterEvent(): void {
    for (let command = this.core.later.shift(); command; command = this.core.later.shift()) obey(this.core, command);
    dispatch(this.core);
    wantAgents(this.core);
  }
}
