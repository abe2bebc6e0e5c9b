/**
 * Small builders for tests of the reactor: a plan from edges, ports that write everything down, and a `Stage` that
 * plays the agents' part in one line each. No network, no clock of its own.
 */
import type { Adjacency } from "@/core/workflow/workflow";
import { type AttemptId, attemptId } from "./ids";
import type { Held } from "./messages";
import type { Outcome } from "./outcome";
import type { JoiningAgent, RecoveredRun, RunPlan } from "./plan";
import type { Journal, JournalRecord, Ports, Spawner, ToAgent } from "./ports";
import { Reactor, type ReactorSettings } from "./reactor";
import { type RunState, TaskState, type TaskStateName, taskStateNames } from "./task-state";

/** Ids with the shape of real ones, readable in a failing test. */
export function testId(kind: string, number: number): string {
  const digit = kind.charCodeAt(0).toString(16);
  return `${digit.padStart(8, "0")}-0000-0000-0000-${String(number).padStart(12, "0")}`;
}

export const run1 = testId("r", 1);
export const run2 = testId("r", 2);

export function adjacency(taskCount: number, edges: readonly (readonly [number, number])[]): Adjacency {
  const lists: number[][] = Array.from({ length: taskCount }, () => []);
  for (const [from, to] of edges) lists[from]!.push(to);
  const offsets = new Uint32Array(taskCount + 1);
  lists.forEach((list, task) => {
    offsets[task + 1] = offsets[task]! + list.length;
  });
  return { offsets, targets: Uint32Array.from(lists.flat()) };
}

type Optional =
  | ("id" | "ownerId" | "ownerAdmin" | "ownerShare" | "doneTasks" | "retries" | "priority" | "policies" | "profiles")
  | ("profileOf" | "categoryLimits" | "finalTask" | "unitOf" | "memoryBytes" | "conditionsOf" | "isJoin" | "spawns");

export interface PlanOptions extends Partial<Pick<RunPlan, Optional>> {
  tasks: number;
  edges?: readonly (readonly [number, number])[];
}

/** File `fN` is written by task N. */
export function plan({ tasks, edges = [], ...rest }: PlanOptions): RunPlan {
  return {
    id: run1,
    ownerId: "someone",
    ownerAdmin: false,
    doneTasks: [],
    retries: 2,
    ...rest,
    taskCount: tasks,
    successors: adjacency(tasks, edges),
    predecessors: adjacency(
      tasks,
      edges.map(([from, to]) => [to, from] as const),
    ),
    producers: (_task, files) =>
      files.flatMap((file) => {
        const producer = Number(/^f(\d+)$/.exec(file)?.[1] ?? "-1");
        return producer >= 0 ? [producer] : [];
      }),
  };
}

export const succeeded: Outcome = { is: "succeeded", outputs: [] };
export const failed: Outcome = { is: "failed", reason: "exit-code", exitCode: 3 };
export const cancelled: Outcome = { is: "cancelled" };

export class TestPorts implements Ports {
  time = 1_000_000;
  records: JournalRecord[] = [];
  sent: { agent: string; message: ToAgent }[] = [];
  readonly clock = { now: () => this.time };
  readonly random = { next: () => 0.5 };
  readonly journal: Journal = { append: (record: JournalRecord) => void this.records.push(record) };
  spawner?: Spawner;
  readonly agents = { send: (agent: string, message: ToAgent) => void this.sent.push({ agent, message }) };

  /** Messages since the last call, as `assign agent task.ordinal`. */
  heard(): string[] {
    const lines = this.sent.map(({ agent, message }) => {
      const about = "attempt" in message ? ` ${message.attempt.task}.${message.attempt.ordinal}` : "";
      return `${message.is} ${agentName(agent)}${about}`;
    });
    this.sent = [];
    return lines;
  }

  events(): string[] {
    return this.records.flatMap((record) => (record.is === "event" ? [record.code] : []));
  }
}

const agentNumbers = ["a1", "a2", "a3"] as const;
export type AgentName = (typeof agentNumbers)[number];

export function agentUuid(name: AgentName): string {
  return testId("a", Number(name.slice(1)));
}

function agentName(id: string): string {
  return agentNumbers.find((name) => agentUuid(name) === id) ?? id;
}

export class Stage {
  readonly ports = new TestPorts();
  readonly reactor: Reactor;
  readonly epoch: number;

  constructor(settings: Partial<ReactorSettings> = {}) {
    this.epoch = settings.epoch ?? 7;
    this.reactor = new Reactor(this.ports, {
      agentSilentMs: 30_000,
      recoveryGraceMs: 60_000,
      keepEndedMs: 60_000,
      lossLimit: 5,
      ...settings,
      epoch: this.epoch,
    });
    this.reactor.onClusterPolicy({ cluster: "local", enabled: true, access: "everyone" });
  }

  submit(options: PlanOptions): void {
    this.reactor.onRunSubmitted(plan(options));
  }

  recover(options: PlanOptions, recovered: Partial<RecoveredRun> & { names: TaskStateName[] }): void {
    const { names, ...rest } = recovered;
    this.reactor.onRunRecovered(plan(options), {
      state: "running",
      states: Uint8Array.from(names.map((name) => TaskState[name])),
      attempts: [],
      open: [],
      ...rest,
    });
  }

  join(name: AgentName, slots: number, held: Held[] = [], cluster = "local", more: Partial<JoiningAgent> = {}): void {
    this.reactor.onAgentJoined({ id: agentUuid(name), cluster, host: `host-${name}`, slots, ...more }, held);
  }

  /** The agent reports how an attempt, `task.ordinal`, ended. */
  end(name: AgentName, attempt: string, outcome: Outcome = succeeded, epoch = this.epoch, run = run1): void {
    this.reactor.onAttemptEnded(agentUuid(name), named(attempt, run), epoch, outcome, {});
  }

  /** The agent reports a success and how long the program ran. */
  endAfter(name: AgentName, attempt: string, ranMs: number): void {
    const usage = { startedAt: 0, endedAt: ranMs };
    this.reactor.onAttemptEnded(agentUuid(name), named(attempt, run1), this.epoch, succeeded, usage);
  }

  inventory(name: AgentName, attempts: string[], epoch = this.epoch): void {
    this.reactor.onAgentInventory(agentUuid(name), held(attempts, epoch));
  }

  command(kind: "kill" | "retry-failed", id = `${kind}-1`, run = run1): boolean {
    return this.reactor.onCommand({ id, run, kind });
  }

  /** Time passes second by second, with these agents alive. */
  pass(seconds: number, alive: AgentName[] = []): void {
    for (let i = 0; i < seconds; i += 1) {
      this.ports.time += 1000;
      this.reactor.onAgentsAlive(alive.map(agentUuid));
      this.reactor.onTick();
    }
  }

  /** Task states as the journal's records leave them, such as `finished ready`. */
  states(tasks: number, run = run1): string {
    const states: TaskStateName[] = Array.from({ length: tasks }, () => "waiting");
    for (const record of this.ports.records) {
      if (record.is === "task-state" && record.run === run) states[record.task] = taskStateNames[record.state];
    }
    return states.join(" ");
  }

  runState(run = run1): RunState {
    let state: RunState = "queued";
    for (const record of this.ports.records) {
      if (record.is === "run-state" && record.run === run) state = record.state;
    }
    return state;
  }

  heard(): string[] {
    return this.ports.heard();
  }
}

export function held(attempts: string[], epoch: number, run = run1): Held[] {
  return attempts.map((attempt) => ({ attempt: named(attempt, run), epoch }));
}

function named(attempt: string, run: string): AttemptId {
  const [task, ordinal] = attempt.split(".").map(Number);
  return attemptId({ run, task: task!, ordinal: ordinal! });
}
