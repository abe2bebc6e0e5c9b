/**
 * The process around the reactor: real clock, journal and agents for its ports, and everything that happens told
 * to it, one call at a time.
 *
 *   recovering  active runs are loaded and handed to the reactor; gateways are not let in yet
 *   going       events flow
 *   paused      the journal stands still (database away, or too far behind): gateways are not read, no time passes
 *   over        another engine has the lease, or a fault: the process must end
 *
 * What the reactor sends is released by the journal after commit and routed to the gateway that speaks for the agent.
 */

import type { Logger } from "pino";
import { deliver } from "@/core/engine/deliver";
import type { AgentId, ClusterId, RunId } from "@/core/engine/ids";
import { attemptId } from "@/core/engine/ids";
import type { GatewayToEngine } from "@/core/engine/messages";
import type { Command } from "@/core/engine/plan";
import type { JournalRecord, ToAgent } from "@/core/engine/ports";
import { Reactor } from "@/core/engine/reactor";
import { UnreadableRun } from "@/core/engine/recover";
import { TaskState, taskStateNames } from "@/core/engine/task-state";
import { FileStore } from "@/server/files/store";
import type { Pool } from "@/server/journal/pool";
import { lookupInputs } from "@/server/journal/queries/lookup-inputs";
import { lastParts, reusableResults } from "@/server/journal/queries/reusable-results";
import { activeRuns, loadRun, type StoredRun } from "@/server/journal/recovery";
import { JournalWriter } from "@/server/journal/writer";
import type { TroubleKind } from "@/server/portal-trouble";
import { type ActiveRun, unfoldRun } from "./active-run";
import { Assignments } from "./assignments";
import { ChosenHosts } from "./chosen-hosts";
import { ClusterHosts } from "./cluster-hosts";
import { DemandWriter } from "./demand-writer";
import type { EngineAddress } from "./engine-address";
import { FileIndex } from "./file-index";
import { GatewayServer } from "./gateway-server";
import { Requests } from "./requests";
import { Reuse } from "./reuse";
import { TaskSpawner } from "./spawner";

export interface EngineOptions {
  pool: Pool;
  databaseUrl: string;
  epoch: number;
  /** Of the file store. */
  filesDirectory: string;
  address: EngineAddress;
  log: Logger;
  /** Runs stand still, or go on again. */
  onTrouble(trouble: TroubleKind | undefined): void;
  /** This engine's turn is over; nothing it does from now on counts. */
  onOver(reason: "stale-epoch" | "fault", error: Error): void;
}

const tickMs = 250;
/** Entries the journal may be behind before gateways are no longer read, and when they are read again. */
const backlogToPause = 50_000;
const backlogToResume = 5_000;

export class Engine {
  readonly journal: JournalWriter;
  private readonly reactor: Reactor;
  private readonly gateways: GatewayServer;
  private readonly requests: Requests;
  private readonly runs = new Map<RunId, ActiveRun>();
  /** Given up; until that is committed they would be found again. */
  private readonly unreadable = new Set<RunId>();
  private readonly files = new FileIndex();
  private readonly assignments: Assignments;
  private readonly reuse: Reuse;
  private readonly chosen = new ChosenHosts();
  private readonly hosts = new ClusterHosts((agent, facts) => this.reactor.onHostFacts(agent, facts));
  private readonly spawner: TaskSpawner;
  private readonly demand: DemandWriter;
  /** Clusters agents could be asked of: without any, nobody wants to know the demand. */
  private readonly startingClusters = new Set<ClusterId>();
  private ticker?: NodeJS.Timeout;
  private stalled = false;

  constructor(private readonly options: EngineOptions) {
    const { pool, epoch, log } = options;
    this.journal = new JournalWriter(options.databaseUrl, epoch, {
      onStalled: (trouble, description) => {
        log.error(description);
        options.onTrouble(trouble);
        this.stalled = true;
        this.gateways.pause();
      },
      onFlowing: () => {
        log.info("the database is back; runs go on");
        options.onTrouble(undefined);
        this.stalled = false;
        this.gateways.resume();
      },
      onOver: options.onOver,
    });
    this.assignments = new Assignments({
      run: (id) => this.runs.get(id),
      files: this.files,
      lookup: (run, names) => lookupInputs(pool, run, names),
      isSkipped: (run, task) => this.reactor.stateOf(run, task) === TaskState.skipped,
    });
    this.reuse = new Reuse({
      run: (id) => this.runs.get(id),
      files: this.files,
      lookup: (run, names) => lookupInputs(pool, run, names),
      results: (owner, keys) => reusableResults(pool, owner, keys),
      lastParts: (owner, names) => lastParts(pool, owner, names),
      answer: (run, task, answer) => this.reactor.onReuseAnswer(run, task, answer),
    });
    this.spawner = new TaskSpawner({
      run: (id) => this.runs.get(id),
      replace: (run) => void this.runs.set(run.id, run),
      store: new FileStore(options.filesDirectory),
    });
    this.reactor = new Reactor(
      {
        clock: { now: () => Date.now() },
        random: { next: () => Math.random() },
        journal: {
          append: (record) => this.append(record),
          afterCommit: (action) => this.journal.afterCommit(action),
        },
        reuse: { ask: (run, task) => this.reuse.ask(run, task) },
        spawner: { extend: (attempt) => this.spawner.extend(attempt) },
        agents: { send: (agent, message) => this.journal.afterCommit(() => this.release(agent, message)) },
      },
      { epoch },
    );
    this.demand = new DemandWriter(pool, epoch, () => this.reactor.demand());
    this.gateways = new GatewayServer(epoch, log, (message) => this.receive(message));
    this.requests = new Requests({
      pool,
      databaseUrl: options.databaseUrl,
      log,
      holds: (run) => this.reactor.holds(run),
      takeRun: (run) => this.takeRun(run),
      onCommand: (command) => this.reactor.onCommand(command),
      dropCommand: (command) => this.dropCommand(command),
      onClusterPolicy: (policy) => {
        if (policy.startsAgents && policy.enabled) this.startingClusters.add(policy.cluster);
        this.reactor.onClusterPolicy(policy);
      },
      readHosts: () => this.hosts.read(pool),
      onAgentJob: (agent, state) => this.reactor.onAgentJob(agent, state),
      onAgentEnded: (agent, reason) => this.reactor.onAgentEnded(agent, reason),
      onAgentNotStarted: (attempt, askedAt, problem) => this.reactor.onAgentNotStarted(attempt, askedAt, problem),
    });
  }

  async start(): Promise<void> {
    const { pool, log, address } = this.options;
    await this.requests.readPolicies();
    const active = await activeRuns(pool);
    for (const run of active) await this.takeRun(run);
    if (active.length > 0) log.info({ runs: active.length }, "active runs recovered");
    await this.gateways.listen(address);
    await this.requests.start();
    this.ticker = setInterval(() => this.tick(), tickMs);
  }

  async stop(withinMs: number): Promise<void> {
    clearInterval(this.ticker);
    this.gateways.stop();
    await this.requests.stop();
    await this.journal.close(withinMs);
  }

  /** Loads a run from the journal and hands it to the reactor, in whatever state it is. */
  private async takeRun(id: RunId): Promise<void> {
    const stored = await loadRun(this.options.pool, id);
    if (!stored || this.reactor.holds(id) || this.unreadable.has(id)) return;
    this.journal.openRun(id, knownStates(stored.states), stored.seq);
    try {
      const run = unfoldRun(stored);
      this.runs.set(id, run);
      this.reactor.onRunRecovered(run.plan, stored);
    } catch (error) {
      // Anything else is a fault of the engine's own, and the run is not to blame.
      if (this.runs.has(id) && !(error instanceof UnreadableRun)) throw error;
      this.failUnreadable(stored, error);
    }
  }

  /** A run that cannot be taken up must not keep the others from going on. */
  private failUnreadable({ id, state }: StoredRun, error: unknown): void {
    this.options.log.error({ run: id, err: error }, "a stored run cannot be read");
    this.runs.delete(id);
    this.unreadable.add(id);
    const problem = error instanceof Error ? error.message : String(error);
    const at = Date.now();
    if (state === "queued" || state === "running") {
      this.journal.append({ is: "run-state", run: id, state: "failed", at });
    }
    this.journal.append({ is: "event", run: id, code: "run-ended", args: { state: "failed", problem }, at });
    this.journal.afterCommit(() => this.journal.closeRun(id));
  }

  /** Asked of a run that cannot be taken up: it was told so, and asking again would not help. */
  private dropCommand({ id }: Command): void {
    this.journal.append({ is: "command-done", command: id, at: Date.now() });
  }

  private append(record: JournalRecord): void {
    if (record.is === "reused") for (const file of record.outputs) this.files.set(record.run, file);
    this.journal.append(record);
    if (record.is !== "outcome" || record.outcome.is !== "succeeded") return;
    const { attempt, at, outcome } = record;
    for (const file of outcome.outputs) this.files.set(attempt.run, file);
    // An answer other than 0 is not kept: a later run asks again.
    const reusable = outcome.exitCode === undefined && this.reuse.record(attempt, outcome.outputs, at);
    if (reusable) this.journal.append(reusable);
  }

  private receive(message: GatewayToEngine): void {
    if (message.is === "attempt-ended" && this.spawner.holdBack(message, () => this.receive(message))) return;
    deliver(this.reactor, message);
    this.hosts.hear(message);
    this.chosen.hear(message);
    if (this.journal.backlog > backlogToPause) this.gateways.pause();
  }

  /** The records before this message are committed: it may leave. */
  private release(agent: AgentId, message: ToAgent): void {
    switch (message.is) {
      case "who-is":
        this.gateways.send(agent, { is: "who-is", agent });
        return;
      case "refuse":
        this.gateways.send(agent, { is: "refuse-agent", agent });
        return;
      case "assign":
        this.assign(agent, message);
        return;
      default: {
        const { attempt, ...word } = message;
        this.assignments.afterAssignment(attempt, () =>
          this.gateways.send(agent, { ...word, agent, attempt: attemptId(attempt) }),
        );
      }
    }
  }

  private assign(agent: AgentId, { is: _, ...decided }: Extract<ToAgent, { is: "assign" }>): void {
    const { attempt, epoch } = decided;
    const fail = (detail: string) => {
      const outcome = { is: "failed", reason: "staging", detail: detail.slice(0, 4096) } as const;
      this.reactor.onAttemptEnded(agent, attemptId(attempt), epoch, outcome, {});
    };
    const values = this.chosen.valuesFor(agent, decided.attempt);
    const hosts = () => this.reactor.hostList(attempt);
    this.assignments.prepare({ ...decided, values, hosts }, (prepared) => {
      switch (prepared.is) {
        case "ready":
          this.gateways.send(agent, { is: "assign", agent, assignment: prepared.assignment });
          return;
        case "inputs-unknown":
          fail(`These input files are nowhere to be found: ${prepared.files.join(", ")}`);
          return;
        case "not-allowed":
          fail(`The task cannot be handed to an agent (${prepared.problem}).`);
          return;
        case "run-gone":
          return;
      }
    });
  }

  private tick(): void {
    if (this.stalled) return;
    if (this.journal.backlog < backlogToResume) this.gateways.resume();
    this.reactor.onTick();
    if (this.startingClusters.size > 0) this.demand.tick(Date.now());
    for (const run of this.runs.keys()) {
      if (this.reactor.holds(run)) continue;
      this.runs.delete(run);
      this.journal.closeRun(run);
    }
  }
}

/** The journal counts tasks by state; a byte that is none (the run is then given up) counts as failed. */
function knownStates(states: Uint8Array): Uint8Array {
  return states.map((state) => (state < taskStateNames.length ? state : TaskState.failed));
}
