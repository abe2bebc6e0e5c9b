/**
 * The one place where the simulated grid meets the engine: the real reactor on ports whose clock is the timeline and whose
 * journal only listens. Everything the grid says to the engine and hears from it passes through here, so when the
 * engine's interface grows, this file grows with it and nothing else.
 *
 * A message leaves when its decision is committed, after `commitSeconds`. Handing out a task also takes a submission
 * manager `dispatchSeconds`, one task after the other; with several of them, the first that is free takes it.
 */
import type { Demand } from "@/core/engine/demand";
import { type AttemptId, attemptId } from "@/core/engine/ids";
import type { Outcome, Usage } from "@/core/engine/outcome";
import type { Policies } from "@/core/engine/policy";
import type { JournalRecord, Random, ToAgent } from "@/core/engine/ports";
import { Reactor } from "@/core/engine/reactor";
import type { Timeline } from "@/core/simulation/timeline";
import type { EngineModel, GridCluster } from "./grid-schema";
import { kindFacts } from "./host";
import type { Workload } from "./workload";

/** An attempt as the grid sees it. */
export interface Assigned {
  readonly id: AttemptId;
  readonly run: string;
  readonly task: number;
  readonly ordinal: number;
  readonly epoch: number;
}

export interface AgentOnHost {
  readonly id: string;
  readonly cluster: string;
  readonly host: string;
  readonly slots: number;
  readonly memoryBytes?: number;
  readonly named: Readonly<Record<string, number>>;
  /** Attributes for expressions. */
  readonly facts: Readonly<Record<string, string | number | boolean>>;
}

export interface DriverListener {
  /** The engine decided something. */
  recorded(record: JournalRecord): void;
  assign(agent: string, attempt: Assigned): void;
  /** Stop it; `report`: and say so. */
  stop(agent: string, attempt: AttemptId, report: boolean): void;
  /** The engine has given this agent up. */
  refuse(agent: string): void;
}

export interface RunRules {
  /** How often a task may fail and be tried again. */
  retries: number;
  policies?: Policies | undefined;
  /** Whose run it is; all the same person's if not given. */
  owner?: string | undefined;
  priority?: number | undefined;
}

const epoch = 1;

export class EngineDriver {
  private readonly reactor: Reactor;
  /** When each submission manager is free again. */
  private readonly submitters: Float64Array;
  private readonly tickMs: number;

  constructor(
    private readonly timeline: Timeline,
    private readonly model: EngineModel,
    random: Random,
    private readonly listener: DriverListener,
  ) {
    this.submitters = new Float64Array(model.submitters);
    const agentSilentMs = model.silentSeconds * 1000;
    // The engine takes a pause of half the silence for a sleep of its own.
    this.tickMs = agentSilentMs / 3;
    this.reactor = new Reactor(
      {
        clock: { now: () => timeline.now },
        random,
        journal: { append: (record) => listener.recorded(record) },
        agents: { send: (agent, message) => this.send(agent, message) },
      },
      { epoch, agentSilentMs },
    );
  }

  openCluster(cluster: GridCluster): void {
    const { name, distance, failover, link, hosts } = cluster;
    this.reactor.onClusterPolicy({
      cluster: name,
      enabled: true,
      access: "everyone",
      distance,
      failOver: failover,
      ...(link.bytesPerSecond === undefined ? {} : { linkMbps: (link.bytesPerSecond * 8) / 1e6 }),
      kinds: hosts.map((kind) => kindFacts(kind, cluster)),
    });
  }

  /** What waits for agents. */
  demand(): Demand[] {
    return this.reactor.demand();
  }

  submit(id: string, workload: Workload, { retries, policies, owner = "simulation", priority = 0 }: RunRules): void {
    const { taskCount, successors, predecessors, doneTasks, scheduling } = workload;
    this.reactor.onRunSubmitted({
      id,
      ownerId: owner,
      ownerAdmin: false,
      priority,
      ...(policies && { policies }),
      ...scheduling,
      taskCount,
      successors,
      predecessors,
      doneTasks,
      retries,
      producers: (_task, files) => workload.producers(files),
    });
  }

  /** Heartbeats and the engine's own clock, as long as `goesOn` names agents that are alive. */
  tick(goesOn: () => readonly string[] | undefined): void {
    this.timeline.after(this.tickMs, () => {
      const alive = goesOn();
      if (!alive) return;
      this.reactor.onAgentsAlive(alive);
      this.reactor.onTick();
      this.tick(goesOn);
    });
  }

  joined(agent: AgentOnHost): void {
    this.reactor.onAgentJoined(agent, []);
  }

  left(agent: string): void {
    this.reactor.onAgentLeft(agent);
  }

  started(agent: string, attempt: Assigned): void {
    this.reactor.onAttemptStarted(agent, attempt.id, attempt.epoch, this.timeline.now);
  }

  ended(agent: string, attempt: Assigned, outcome: Outcome, usage: Usage): void {
    this.reactor.onAttemptEnded(agent, attempt.id, attempt.epoch, outcome, usage);
  }

  private send(agent: string, message: ToAgent): void {
    const { listener } = this;
    const commitMs = this.model.commitSeconds * 1000;
    switch (message.is) {
      case "assign": {
        const { run, task, ordinal } = message.attempt;
        const attempt = { id: attemptId(message.attempt), run, task, ordinal, epoch: message.epoch };
        this.timeline.after(commitMs + this.submissionMs(commitMs), () => listener.assign(agent, attempt));
        break;
      }
      case "cancel":
      case "discard": {
        const id = attemptId(message.attempt);
        this.timeline.after(commitMs, () => listener.stop(agent, id, message.is === "cancel"));
        break;
      }
      case "refuse":
        this.timeline.after(commitMs, () => listener.refuse(agent));
        break;
      // Reports are not lost here and agents join before they speak: there is nothing to repeat.
      case "acknowledge":
      case "who-is":
        break;
    }
  }

  /** How long after its commit the hand-out is through the hands of a submission manager. */
  private submissionMs(commitMs: number): number {
    const dispatchMs = this.model.dispatchSeconds * 1000;
    if (dispatchMs === 0) return 0;
    let first = 0;
    for (let i = 1; i < this.submitters.length; i += 1) {
      if (this.submitters[i]! < this.submitters[first]!) first = i;
    }
    const committed = this.timeline.now + commitMs;
    const done = Math.max(committed, this.submitters[first]!) + dispatchMs;
    this.submitters[first] = done;
    return done - committed;
  }
}
