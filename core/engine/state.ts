/**
 * The state the reactor keeps between events: runs, agents, clusters, hosts, and the lines they stand in. Objects exist
 * only for what is in flight; tasks are columns (task-table.ts). The functions of the neighbouring files are
 * plain functions over this one `Core`, in the manner of a state machine: they change it, append records and
 * send messages, and never wait.
 */
import type { RestartFile } from "@/core/protocol/agent";
import { catchUp } from "./fair-share";
import { Fifo } from "./fifo";
import { type HostRecord, newHostRecord } from "./host-record";
import type { AgentId, AttemptRef, ClusterId, RunId } from "./ids";
import { type Asks, type Lane, laneOf, type Owner, type Shelf } from "./lanes";
import type { LiveAd } from "./live-ad";
import type { JobWatch, Watch } from "./monitor";
import type { MoveReason } from "./outcome";
import type { Particular } from "./particular";
import type { ClusterPolicy, Command, JoiningAgent, RunPlan } from "./plan";
import type { Policies } from "./policy";
import type { EventCode, Placement, Ports, ToAgent } from "./ports";
import { type NodeFacts, type Scale, scaleOf } from "./preference";
import { makeQueueAd } from "./scene";
import type { Settings } from "./settings";
import { type RunState, TaskState } from "./task-state";
import type { TaskTable } from "./task-table";

/** An attempt an agent has, or will have: the only object there is for a task. */
export interface Flight {
  readonly run: Run;
  readonly lane: Lane;
  readonly task: number;
  readonly ordinal: number;
  /** The epoch in which it was handed out. */
  readonly epoch: number;
  readonly agent: Agent;
  readonly host: string;
  readonly because: Placement;
  readonly sentAt: number;
  /** When it counts as lost, if its bag has a deadline. */
  readonly deadlineAt: number | undefined;
  /** It takes no room of its own: it goes with its cluster of tasks. */
  readonly unit: Unit | undefined;
  /** Seconds its owner was charged ahead. */
  readonly charged: number;
  phase:
    | { is: "sent"; at: number }
    | { is: "started"; at: number }
    /** The run is killed, or the task moves; the agent was told and will report. */
    | { is: "cancelling"; since: number; moving?: MoveReason };
  readonly watch: Watch;
}

/** A cluster of tasks (GR-4) that an agent has: its tasks follow each other there and take the room of one. */
export interface Unit {
  readonly number: number;
  readonly agent: Agent;
  /** What its first task asked for. */
  readonly asks: Asks;
  open: number;
}

export interface Run {
  /** Another one after tasks were added. */
  plan: RunPlan;
  policies: Policies;
  readonly tasks: TaskTable;
  /** Attempts under way by task; more than one while it is replicated. */
  readonly flights: Map<number, Flight[]>;
  readonly lanes: Map<number, Lane>;
  /** Exceptions, by task: doublings of memory, repeated failure, the attempt that won if it was not the last. */
  readonly raised: Map<number, number>;
  readonly failedOver: Set<number>;
  readonly winners: Map<number, number>;
  /** Exit codes other than 0 of tasks that finished with one (GW-13). */
  readonly answers: Map<number, number>;
  /** Tasks whose last attempt passed its deadline. */
  readonly late: Set<number>;
  /** Tasks that may get another attempt beside those under way. */
  readonly replicasWanted: Set<number>;
  /** Tasks that could run, but may not have to: the answer is on its way (reuse.ts). */
  readonly checking: Set<number>;
  /** Tasks whose further tasks are in the run. */
  readonly spawned: Set<number>;
  /** Tasks that took an earlier result. */
  readonly reused: Set<number>;
  readonly categories: Map<string, number>;
  readonly units: Map<number, Unit>;
  /** Attempts agents were asked for, by task (early.ts), and clusters that failed to start one, until when. */
  readonly wanted: Map<number, { ordinal: number; cluster: ClusterId; at: number }>;
  readonly passedOver: Map<string, number>;
  /** The last complete restart files of unfinished tasks, with the attempt that made them. */
  readonly checkpoints: Map<number, { ordinal: number; files: RestartFile[]; at: number }>;
  /** Tasks that are not like the others of their kind any more. */
  readonly particulars: Map<number, Particular>;
  /** Attempts that are looked at once a tick. */
  readonly watched: Set<Flight>;
  /** Tasks whose next attempt is because they moved. */
  readonly moved: Set<number>;
  /** Seconds of the shortest iteration a task told of. */
  readonly bestIterations: Map<number, number>;
  readonly byHost: Map<string, { succeeded: number; failed: number }>;
  tail: boolean;
  /** Slot-seconds of attempts that did not count because another was first. */
  wastedSeconds: number;
  phase:
    | { is: "going" }
    /** Nothing new starts. The commands are done when nothing is in flight; a retry asked meanwhile comes after. */
    | { is: "killing"; kills: Set<string>; retries: Set<string> }
    | { is: "over"; state: RunState; at: number };
  /** The last reason told for not being served at all, so that it is told once. */
  told: string;
}

export interface Agent {
  readonly id: AgentId;
  /** Small and dense, for columns; used again when the agent is gone. */
  readonly index: number;
  /** Another one whenever something changed that expressions may see of it. */
  version: number;
  /** The same for what is kept about it. */
  keptVersion: number;
  readonly open: Set<Flight>;
  /** What its attempts take together. */
  readonly used: { cores: number; memoryBytes: number; diskBytes: number; named: Map<string, number> };
  heardAt: number;
  mode: /** It held attempts before this engine started; it has until then to come back. */
    | { is: "expected"; until: number }
    | {
        is: "joined";
        joining: JoiningAgent;
        cluster: Cluster;
        host: string;
        slots: number;
        record: HostRecord;
        has: Room;
      };
  ad: LiveAd;
  /** What decides its preference (GR-7), for tasks that say nothing else. */
  node: NodeFacts;
  /** How long its tasks ran lately, in the mean; the last one counts a fifth. */
  meanRunMs: number | undefined;
  /** Of its transfers, as it measured them. */
  bytesPerSecond: number | undefined;
  job: JobWatch | undefined;
  /** When it last became free, in the order of such moments. */
  freeStamp: number;
  /** Kept free for a lane that needs more of it than is ever free by chance. */
  reservedFor: Lane | undefined;
}

/** What an agent's tasks may use together; infinite where nobody set a bound. */
export interface Room {
  memoryBytes: number;
  diskBytes: number;
  named: Readonly<Record<string, number>>;
}

export interface Cluster {
  readonly id: ClusterId;
  /** Closed until its policy is known. */
  policy: ClusterPolicy;
  readonly members: Set<Agent>;
}

export class Core {
  readonly runs = new Map<RunId, Run>();
  readonly agents = new Map<AgentId, Agent>();
  readonly clusters = new Map<ClusterId, Cluster>();
  /** By cluster and name; they outlive their agents. */
  readonly hosts = new Map<string, HostRecord>();
  readonly owners = new Map<string, Owner>();
  /** Owners with a shelf that has something ready. */
  readonly hungry = new Set<Owner>();
  /** Agents that could take something, those free longest first. */
  readonly free = new Set<Agent>();
  /** Shelves that keep the free agents in order. */
  readonly ordering = new Set<Shelf>();
  /** Tasks that became ready while their cluster of tasks is with an agent. */
  readonly following: { run: Run; task: number }[] = [];
  /** Tasks that became ready and want an agent of their own, and those for which no cluster was found. */
  readonly unbound: { run: Run; task: number }[] = [];
  readonly unplaced: { run: Run; task: number }[] = [];
  /** Joined agents that are bound to one attempt. */
  readonly boundAgents = new Set<Agent>();
  readonly queueAd = makeQueueAd();
  readonly givenUp = new RecentSet<AgentId>(10_000);
  readonly doneCommands = new RecentSet<string>(10_000);
  /** Ends that are committed, oldest first: the runs may be let go after a while. */
  readonly ended = new Fifo<{ run: Run; end: Extract<Run["phase"], { is: "over" }> }>();
  /** Commands that had to wait for another one of the same run, due in the present event. */
  readonly later: Command[] = [];
  /** By our own clock, to notice when it jumped or we slept. */
  lastTick: number;
  /** Runs whose bags let hosts prefetch (Concurrency): then agents without a free slot may take something too. */
  prefetching = 0;
  /** Hosts came, went or changed: their preferences (GR-7) are to be computed again. */
  preferencesStale = false;
  preferenceScale: Scale = scaleOf([]);
  private stamps = 0;
  private versions = 0;
  private readonly indices: number[] = [];
  private nextIndex = 0;

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
    if (to !== TaskState.ready) return;
    const lane = laneOf(this, run, task);
    if (lane.early) this.unbound.push({ run, task });
    else this.wake(lane);
    if (run.units.size > 0) this.following.push({ run, task });
  }

  /** Other attempts at the same task that are under way. */
  othersOf({ run, task }: Flight): readonly Flight[] {
    return run.flights.get(task) ?? [];
  }

  /** Puts a lane that has ready tasks into its shelf's line, unless it stands there already. */
  wake(lane: Lane): void {
    if (lane.standing || lane.run.phase.is !== "going" || lane.ready.size === 0) return;
    if (lane.early) {
      this.wakeEarly(lane);
      return;
    }
    const { shelf } = lane;
    lane.standing = true;
    this.stamps += 1;
    lane.stamp = this.stamps;
    lane.servedAt = this.now();
    shelf.line.push(lane);
    shelf.blocked = false;
    const { owner } = shelf;
    if (owner.hungry.size === 0) {
      catchUp(owner, this.hungry);
      this.hungry.add(owner);
    }
    owner.hungry.add(shelf);
  }

  private wakeEarly({ run, ready }: Lane): void {
    for (let task = 0; task < run.plan.taskCount; task += 1) if (ready.has(task)) this.unbound.push({ run, task });
  }

  owner(id: string, share: number): Owner {
    let owner = this.owners.get(id);
    if (!owner) {
      owner = { id, shelves: new Map(), hungry: new Set(), share, pass: 0 };
      this.owners.set(id, owner);
    }
    owner.share = share > 0 ? share : 1;
    return owner;
  }

  /**
   * How many cores' worth of attempts an agent may hold. Where tasks are shorter than the way to the agent and back, it
   * gets some ahead and starts them at once (GB-10), for about `briskMs`: then many ends are told, committed and answered
   * together. Elsewhere a task waits here, where another agent can still have it. What waits behind a task that turns out
   * to be long is taken back (take-back.ts).
   */
  capacity(agent: Agent): number {
    return agent.mode.is === "joined" ? agent.mode.slots * this.ahead(agent) : 0;
  }

  /** How many attempts it may hold for each one it can run. */
  ahead({ meanRunMs }: Agent): number {
    if (meanRunMs === undefined || !this.isBrisk(meanRunMs)) return 1;
    const { briskMs, aheadPerSlot } = this.settings;
    return 1 + Math.min(aheadPerSlot, Math.ceil(briskMs / Math.max(1, meanRunMs)));
  }

  isBrisk(meanRunMs: number | undefined): boolean {
    return meanRunMs !== undefined && meanRunMs < this.settings.briskMs;
  }

  /** Cores' worth of attempts it may still be given. */
  freeSlots(agent: Agent): number {
    return this.capacity(agent) - agent.used.cores;
  }

  /** An agent that can take something stands among the free ones; whoever waited for one like it looks again. */
  offer(agent: Agent): void {
    this.toTheBack(agent);
    if (!this.free.has(agent)) return;
    for (const shelf of this.ordering) {
      if (!shelf.judge.matches(agent)) continue;
      shelf.blocked = false;
      shelf.heap?.push(agent, shelf.judge.hostRank(agent));
    }
  }

  /** Behind the other free agents, which spreads the work, or out of their line if it can take nothing more. */
  toTheBack(agent: Agent): void {
    this.free.delete(agent);
    if (agent.mode.is !== "joined" || (this.freeSlots(agent) <= 0 && this.prefetching === 0)) return;
    this.stamps += 1;
    agent.freeStamp = this.stamps;
    this.free.add(agent);
  }

  /** Its order of hosts is made anew when it is next looked at. */
  forgetOrder(shelf: Shelf): void {
    shelf.heap = undefined;
    shelf.blocked = false;
    this.ordering.delete(shelf);
  }

  /** Something changed that may concern anybody. */
  unblockAll(): void {
    for (const shelf of [...this.ordering]) this.forgetOrder(shelf);
  }

  cluster(id: ClusterId): Cluster {
    let cluster = this.clusters.get(id);
    if (!cluster) {
      cluster = { id, policy: { cluster: id, enabled: false, access: "admins" }, members: new Set() };
      this.clusters.set(id, cluster);
    }
    return cluster;
  }

  host(cluster: ClusterId, name: string): HostRecord {
    const key = `${cluster}/${name}`;
    let host = this.hosts.get(key);
    if (!host) {
      host = newHostRecord(key, this.now());
      this.hosts.set(key, host);
    }
    return host;
  }

  newVersion(): number {
    this.versions += 1;
    return this.versions;
  }

  takeIndex(): number {
    const index = this.indices.pop();
    if (index !== undefined) return index;
    this.nextIndex += 1;
    return this.nextIndex - 1;
  }

  giveBackIndex(index: number): void {
    this.indices.push(index);
  }
}

export function refOf(flight: Flight): AttemptRef {
  return { run: flight.run.plan.id, task: flight.task, ordinal: flight.ordinal };
}

export function allows({ policy }: Cluster, admin: boolean): boolean {
  return policy.enabled && (admin || policy.access === "everyone");
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
