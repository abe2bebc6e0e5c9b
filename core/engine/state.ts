/**
 * The state the reactor keeps between events: runs, agents, clusters, and the lines they stand in. Objects exist
 * only for what is in flight; tasks are columns (task-table.ts). The functions of the neighbouring files are
 * plain functions over this one `Core`, in the manner of a state machine: they change it, append records and
 * send messages, and never wait.
 */
import { Fifo } from "./fifo";
import type { AgentId, AttemptRef, ClusterId, RunId } from "./ids";
import type { ClusterPolicy, Command, RunPlan } from "./plan";
import type { EventCode, Ports, ToAgent } from "./ports";
import type { RunState, TaskState } from "./task-state";
import type { TaskTable } from "./task-table";

export interface Settings {
  /** Of the lease under which this reactor decides. */
  epoch: number;
  /** An agent not heard of for longer is given up. */
  agentSilentMs: number;
  /** How long agents that held attempts before a restart have to come back. */
  recoveryGraceMs: number;
  /** A task that was lost this often without blame ends as failed, or a task that kills agents would run for ever. */
  lossLimit: number;
  /** Ended runs stay at hand this long, for late reports and a quick retry. */
  keepEndedMs: number;
  /** An agent whose tasks run for less than this in the mean gets so many more for each slot, ahead of time. */
  briskMs: number;
  aheadPerSlot: number;
}

export const defaultSettings: Omit<Settings, "epoch"> = {
  agentSilentMs: 30_000,
  recoveryGraceMs: 60_000,
  lossLimit: 20,
  keepEndedMs: 60_000,
  briskMs: 100,
  aheadPerSlot: 2,
};

/** An attempt an agent has, or will have: the only object there is for a task. */
export interface Flight {
  readonly run: Run;
  readonly task: number;
  readonly ordinal: number;
  /** The epoch in which it was handed out. */
  readonly epoch: number;
  readonly agent: Agent;
  readonly host: string;
  phase:
    | { is: "sent"; at: number }
    | { is: "started"; at: number }
    /** The run is killed; the agent was told and will report. */
    | { is: "cancelling"; since: number };
}

export interface Run {
  readonly plan: RunPlan;
  readonly tasks: TaskTable;
  readonly inFlight: Map<number, Flight>;
  phase:
    | { is: "going" }
    /** Nothing new starts. The commands are done when nothing is in flight; a retry asked meanwhile comes after. */
    | { is: "killing"; kills: Set<string>; retries: Set<string> }
    | { is: "over"; state: RunState; at: number };
  /** When it last joined the line of its class, 0 while it stands in none. The oldest goes first. */
  stamp: number;
  /** The last reason told for not being served at all, so that it is told once. */
  told: string;
}

export interface Agent {
  readonly id: AgentId;
  readonly open: Set<Flight>;
  heardAt: number;
  mode: /** It held attempts before this engine started; it has until then to come back. */
  { is: "expected"; until: number } | { is: "joined"; cluster: Cluster; host: string; slots: number };
  /** How long its tasks ran lately, in the mean; the last one counts a fifth. */
  meanRunMs?: number;
  /** The cluster in whose line of free agents it stands. */
  offeredIn?: Cluster;
}

export interface Cluster {
  readonly id: ClusterId;
  /** Closed until its policy is known. */
  enabled: boolean;
  access: ClusterPolicy["access"];
  readonly members: Set<Agent>;
  /** Agents with free slots, the longest unused first. */
  readonly free: Fifo<Agent>;
}

/** Runs that may use the same clusters are one class, so that "no slot for this run" is decided once for all of them. */
export interface RunClass {
  readonly admin: boolean;
  readonly line: Fifo<Run>;
}

export class Core {
  readonly runs = new Map<RunId, Run>();
  readonly agents = new Map<AgentId, Agent>();
  readonly clusters = new Map<ClusterId, Cluster>();
  readonly givenUp = new RecentSet<AgentId>(10_000);
  readonly doneCommands = new RecentSet<string>(10_000);
  /** Ends that are committed, oldest first: the runs may be let go after a while. */
  readonly ended = new Fifo<{ run: Run; end: Extract<Run["phase"], { is: "over" }> }>();
  readonly classes: readonly RunClass[] = [
    { admin: false, line: new Fifo() },
    { admin: true, line: new Fifo() },
  ];
  /** Commands that had to wait for another one of the same run, due in the present event. */
  readonly later: Command[] = [];
  /** By our own clock, to notice when it jumped or we slept. */
  lastTick: number;
  private stamps = 0;

  constructor(
    readonly ports: Ports,
    readonly settings: Settings,
  ) {
    this.lastTick = this.now();
  }

  now(): number {
    return this.ports.clock.now();
  }

  send(agent: AgentId, message: ToAgent): void {
    this.ports.agents.send(agent, message);
  }

  event(run: Run, code: EventCode, args: Record<string, string | number>, task?: number): void {
    const about = task === undefined ? {} : { task };
    this.ports.journal.append({ is: "event", run: run.plan.id, ...about, code, args, at: this.now() });
  }

  /** The only way a task changes its state while a run goes on: checked, counted, and written down. */
  move(run: Run, task: number, to: TaskState): void {
    run.tasks.move(task, to);
    this.ports.journal.append({ is: "task-state", run: run.plan.id, task, state: to });
  }

  /** Puts a run that has ready tasks into the line, unless it stands there already. */
  wake(run: Run): void {
    if (run.stamp !== 0 || run.phase.is !== "going" || run.tasks.ready.size === 0) return;
    this.joinLine(run);
  }

  joinLine(run: Run): void {
    this.stamps += 1;
    run.stamp = this.stamps;
    this.classes[run.plan.ownerAdmin ? 1 : 0]!.line.push(run);
  }

  /**
   * How many attempts an agent may hold. Where tasks are shorter than the way to the agent and back, it gets some
   * ahead and starts them at once (GB-10); elsewhere a task waits here, where another agent can still have it.
   */
  capacity(agent: Agent): number {
    if (agent.mode.is !== "joined") return 0;
    const brisk = agent.meanRunMs !== undefined && agent.meanRunMs < this.settings.briskMs;
    return agent.mode.slots * (brisk ? 1 + this.settings.aheadPerSlot : 1);
  }

  freeSlots(agent: Agent): number {
    return this.capacity(agent) - agent.open.size;
  }

  /** Puts an agent with free slots into its cluster's line, unless it stands there already. */
  offer(agent: Agent): void {
    if (agent.mode.is !== "joined" || agent.offeredIn === agent.mode.cluster || this.freeSlots(agent) <= 0) return;
    agent.offeredIn = agent.mode.cluster;
    agent.mode.cluster.free.push(agent);
  }

  cluster(id: ClusterId): Cluster {
    let cluster = this.clusters.get(id);
    if (!cluster) {
      cluster = { id, enabled: false, access: "admins", members: new Set(), free: new Fifo() };
      this.clusters.set(id, cluster);
    }
    return cluster;
  }
}

export function refOf(flight: Flight): AttemptRef {
  return { run: flight.run.plan.id, task: flight.task, ordinal: flight.ordinal };
}

export function allows(cluster: Cluster, admin: boolean): boolean {
  return cluster.enabled && (admin || cluster.access === "everyone");
}

/** Remembers the last so many: enough for a courtesy, bounded for an engine that runs for years. */
export class RecentSet<T> {
  private readonly items = new Set<T>();

  constructor(private readonly limit: number) {}

  has(item: T): boolean {
    return this.items.has(item);
  }

  add(item: T): void {
    this.items.add(item);
    if (this.items.size <= this.limit) return;
    for (const oldest of this.items) {
      this.items.delete(oldest);
      break;
    }
  }
}
