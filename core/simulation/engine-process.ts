/**
 * The process around the reactor, as server/engine is in production: it takes the lease, recovers active runs, polls for
 * new runs and commands, ticks, and hands the gateway's messages to the reactor. It can crash at any time, and it can be
 * paused and wake up after another engine has taken over.
 */
import { deliver } from "@/core/engine/deliver";
import { attemptId } from "@/core/engine/ids";
import type { GatewayToEngine } from "@/core/engine/messages";
import type { ClusterPolicy, RunPlan } from "@/core/engine/plan";
import type { Clock, Extension, ToAgent } from "@/core/engine/ports";
import { Reactor } from "@/core/engine/reactor";
import type { Settings } from "@/core/engine/settings";
import type { Core } from "@/core/engine/state";
import { TaskState } from "@/core/engine/task-state";
import { checkPermission } from "./checks";
import type { DurablePorts, Surroundings } from "./durable-ports";
import type { JournalModel, StoredRun } from "./journal-model";
import { shortAttempt, shortId } from "./names";
import type { SeededRandom } from "./random";
import type { Timeline } from "./timeline";
import { extendPlan } from "./workload";

export interface EngineWorld {
  timeline: Timeline;
  random: SeededRandom;
  model: JournalModel;
  clock: Clock;
  settings: Omit<Settings, "epoch">;
  policies(): Iterable<ClusterPolicy>;
  commitMs(): number;
  /** A message leaves this engine for the gateway. */
  release(engine: EngineProcess, agent: string, message: ToAgent): void;
  /** Looks at the state after each event. */
  check(core: Core): void;
  makePorts(around: Surroundings, epoch: number): DurablePorts;
  makeCore(...parameters: ConstructorParameters<typeof Core>): Core;
}

export class EngineProcess {
  readonly epoch: number;
  readonly ports: DurablePorts;
  readonly core: Core;
  alive = true;
  private readonly reactor: Reactor;
  private paused = false;
  /** As this engine was told them. */
  private readonly policies = new Map<string, ClusterPolicy>();
  private readonly inbox: (() => void)[] = [];

  constructor(private readonly world: EngineWorld) {
    const { timeline, model, random, clock } = world;
    this.epoch = model.takeLease();
    timeline.log(`engine ${this.epoch} takes the lease`);
    const around: Surroundings = {
      timeline,
      model,
      random,
      clock,
      commitMs: () => world.commitMs(),
      decided: (record) => {
        checkPermission(record, model, this.policies);
        if (record.is === "outcome" && record.outcome.is === "lost" && record.outcome.reason === "taken-back") {
          timeline.log(`engine ${this.epoch}: ${shortAttempt(attemptId(record.attempt))} is taken back`);
        }
        if (record.is === "task-state" && record.state === TaskState.skipped) {
          timeline.log(`engine ${this.epoch}: task ${record.task} of ${shortId(record.run)} is skipped`);
        }
      },
      release: (agent, message) => world.release(this, agent, message),
      refused: () => this.stop(`engine ${this.epoch} is refused by the journal and stops`),
    };
    this.ports = world.makePorts(around, this.epoch);
    this.ports.reuse = { ask: (run, task) => this.lookForResult(run, task) };
    this.ports.spawner = { extend: ({ run, task }) => this.extend(run, task) };
    let core: Core | undefined;
    this.reactor = new Reactor(this.ports, { ...world.settings, epoch: this.epoch }, (ports, settings) => {
      core = world.makeCore(ports, settings);
      return core;
    });
    if (!core) throw new Error("the reactor did not make its state");
    this.core = core;
    this.recover();
    this.tick();
  }

  receive(message: GatewayToEngine): void {
    this.happen(() => {
      this.world.timeline.log(`engine ${this.epoch} hears ${message.is}${about(message)}`);
      deliver(this.reactor, message);
    });
  }

  tellPolicy(policy: ClusterPolicy): void {
    this.happen(() => this.takePolicy(policy));
  }

  tellJob(agent: string, state: string): void {
    this.happen(() => {
      this.world.timeline.log(`engine ${this.epoch} hears that the job of ${shortId(agent)} is ${state}`);
      this.reactor.onAgentJob(agent, state);
    });
  }

  crash(): void {
    this.stop(`engine ${this.epoch} crashes`);
    this.ports.crash(this.world.random.chance(0.5));
  }

  pause(): void {
    this.world.timeline.log(`engine ${this.epoch} is paused`);
    this.paused = true;
    this.ports.pause();
  }

  /** Everything that reached the process while it was paused happens now, before it can learn that it was replaced. */
  wake(): void {
    if (!this.alive || !this.paused) return;
    this.world.timeline.log(`engine ${this.epoch} wakes up`);
    this.paused = false;
    for (let event = this.inbox.shift(); event; event = this.inbox.shift()) this.happen(event);
    this.ports.wake();
  }

  private stop(line: string): void {
    this.alive = false;
    this.world.timeline.log(line);
  }

  private happen(event: () => void): void {
    if (!this.alive) return;
    if (this.paused) {
      this.inbox.push(event);
      return;
    }
    event();
    this.world.check(this.core);
  }

  private takePolicy(policy: ClusterPolicy): void {
    this.policies.set(policy.cluster, policy);
    this.reactor.onClusterPolicy(policy);
  }

  private recover(): void {
    const { model } = this.world;
    for (const policy of this.world.policies()) this.takePolicy(policy);
    for (const [id, run] of model.runs) {
      if (run.state === "queued" || run.state === "running") {
        this.reactor.onRunRecovered(planOf(run), model.recovered(id));
      }
    }
    this.world.check(this.core);
  }

  private extend(id: string, task: number): Extension {
    const run = this.core.runs.get(id);
    if (!run) return { is: "refused", problem: "the run is gone" };
    this.world.timeline.log(`engine ${this.epoch}: task ${task} of ${shortId(id)} hands in tasks`);
    return { is: "extended", plan: extendPlan(run.plan, task), addition: { groups: [], transient: [] } };
  }

  /** The answer takes its time, and may come after the run or the engine has gone on. */
  private lookForResult(run: string, task: number): void {
    const { timeline, random } = this.world;
    const from = { run, task, ordinal: 1 };
    const found = random.chance(0.3);
    timeline.after(random.between(1, 2000), () => {
      this.happen(() =>
        this.reactor.onReuseAnswer(run, task, found ? { is: "found", from, outputs: [] } : { is: "none" }),
      );
    });
  }

  private tick(): void {
    this.world.timeline.after(1000, () => {
      if (!this.alive) return;
      this.happen(() => {
        this.reactor.onTick();
        this.poll();
      });
      this.tick();
    });
  }

  /** New runs and commands are rows; they are told again until the rows say otherwise. */
  private poll(): void {
    const { model } = this.world;
    for (const run of model.runs.values()) if (run.state === "queued") this.reactor.onRunSubmitted(planOf(run));
    for (const command of model.commands.values()) {
      if (command.done || this.reactor.onCommand(command)) continue;
      // What the journal says of a run that was let go is true only when nothing waits to be committed.
      if (!this.ports.settled) continue;
      this.reactor.onRunRecovered(planOf(model.run(command.run)), model.recovered(command.run));
      this.reactor.onCommand(command);
    }
  }
}

/** As it is read from the database: with the policies of now. */
function planOf({ plan, policies }: StoredRun): RunPlan {
  return { ...plan, policies };
}

function about(message: GatewayToEngine): string {
  if (message.is === "attempt-ended") return ` ${shortAttempt(message.attempt)} ${message.outcome.is}`;
  if (message.is === "attempt-started" || message.is === "attempt-progress") return ` ${shortAttempt(message.attempt)}`;
  if (message.is === "agent-joined" || message.is === "agent-inventory") {
    return ` ${shortId(message.agent)} [${message.held.map(({ attempt }) => shortAttempt(attempt)).join(" ")}]`;
  }
  return "";
}
