/**
 * A small grid in one seed: engines one after the other, a gateway, agents, people who submit and kill runs, and the
 * faults that befall them. After a while the faults stop and the world is repaired; from then on everything has to come
 * to an end by itself.
 */
import { type AttemptId, parseAttemptId } from "@/core/engine/ids";
import type { Outcome } from "@/core/engine/outcome";
import type { ClusterPolicy } from "@/core/engine/plan";
import type { ToAgent } from "@/core/engine/ports";
import type { Settings } from "@/core/engine/settings";
import type { Core } from "@/core/engine/state";
import { neighbours } from "@/core/engine/task-table";
import type { Progress } from "@/core/protocol/agent";
import { checkCore, checkRestart, ExecutionChecks, JournalChecks, profileOf, Violation } from "./checks";
import { EngineProcess, type EngineWorld } from "./engine-process";
import { GatewayProcess } from "./gateway-process";
import type { JournalModel } from "./journal-model";
import { shortId, simulatedId } from "./names";
import { Network } from "./network";
import { type Parts, type Plant, partsWith } from "./plants";
import { SeededRandom } from "./random";
import { describeActiveRuns } from "./recovery-check";
import { Timeline } from "./timeline";
import { type Introduction, Worker, type WorkerWorld } from "./worker";
import { fileOf, muchMemory, needsMuchMemory, otherAnswer, people } from "./workload";

/** Every other seed hands out ahead; the rest shows that without it no agent ever has more than its slots. */
function settingsOf(seed: number): Omit<Settings, "epoch"> {
  return {
    agentSilentMs: 6000,
    recoveryGraceMs: 8000,
    lossLimit: 12,
    keepEndedMs: 5000,
    briskMs: 2000,
    aheadPerSlot: seed % 2 === 0 ? 2 : 0,
    takeBackMs: 3000,
    failOverAfter: 1,
    memoryCapBytes: 1e9,
    reserveAfterMs: 3000,
    replicasPerCycle: 20,
    nearBytes: 1000,
    discoverMs: 4000,
    rankGain: 1.2,
    moveOverheadMs: 100,
    avoidLeftMs: 3000,
    suspensionMs: 5000,
  };
}

export class World implements EngineWorld, WorkerWorld {
  readonly timeline = new Timeline();
  readonly random: SeededRandom;
  readonly wire: Network;
  readonly model: JournalModel;
  readonly settings: Omit<Settings, "epoch">;
  readonly workers: Worker[] = [];
  /** Past engines too: one that was paused may still wake up. */
  readonly engines: EngineProcess[] = [];
  gateway: GatewayProcess;
  /** The portal's clock may jump; the world's does not. */
  clockOffset = 1_700_000_000_000;
  readonly clock = { now: () => this.timeline.now + this.clockOffset };
  /** Probabilities of what a task does; 0 when faults are over. */
  trouble = 1;
  slowCommits = 0;
  private readonly clusterPolicies = new Map<string, ClusterPolicy>();
  private readonly parts: Parts;
  private readonly executions: ExecutionChecks;
  private identities = 0;
  private readonly introductions = new Map<string, Introduction>();
  private lastWords: { version: number; runs: Map<string, string> } | undefined;

  constructor(seed: number, plant?: Plant) {
    this.random = new SeededRandom(seed);
    this.settings = settingsOf(seed);
    this.parts = partsWith(plant);
    this.model = this.parts.model;
    this.model.watcher = new JournalChecks(this.model, this.settings, (agent) => this.introductions.get(agent));
    this.executions = new ExecutionChecks(this.model);
    this.wire = new Network(this.timeline, this.random);
    this.gateway = this.startGateway();
  }

  get engine(): EngineProcess | undefined {
    return this.engines.at(-1);
  }

  // Engines

  startEngine(): void {
    const engine = new EngineProcess(this);
    const { lastWords } = this;
    if (lastWords?.version === this.model.version) {
      const now = describeActiveRuns(engine.core);
      for (const [id, before] of lastWords.runs) {
        const after = now.get(id);
        if (after !== before) throw new Violation(`recovery of ${id} gives ${after}, but it was ${before}`);
      }
    }
    this.lastWords = undefined;
    this.engines.push(engine);
    this.timeline.after(this.random.between(1, 1500), () => this.gateway.connect(engine));
  }

  crashEngine(): void {
    const { engine } = this;
    if (!engine?.alive) return;
    if (engine.ports.settled) this.lastWords = { version: this.model.version, runs: describeActiveRuns(engine.core) };
    engine.crash();
  }

  makePorts(...parameters: Parameters<Parts["makePorts"]>) {
    return this.parts.makePorts(...parameters);
  }

  makeCore(...parameters: Parameters<Parts["makeCore"]>): Core {
    return this.parts.makeCore(...parameters);
  }

  check(core: Core): void {
    checkCore(core);
  }

  commitMs(): number {
    return this.random.chance(this.slowCommits) ? this.random.between(500, 4000) : this.random.between(1, 30);
  }

  release(engine: EngineProcess, agent: string, message: ToAgent): void {
    checkRestart(message, this.model);
    this.timeline.log(`engine ${engine.epoch} tells agent ${shortId(agent)} ${describeMessage(message)}`);
    // The link keeps its order: everything released takes the same time.
    this.timeline.after(5, () => this.gateway.deliver(engine, agent, message));
  }

  // Clusters

  policies(): Iterable<ClusterPolicy> {
    return this.clusterPolicies.values();
  }

  setPolicy(policy: ClusterPolicy): void {
    this.clusterPolicies.set(policy.cluster, policy);
    this.timeline.log(`cluster ${policy.cluster} is ${policy.enabled ? `open to ${policy.access}` : "switched off"}`);
    for (const engine of this.engines) engine.tellPolicy(policy);
  }

  // Gateway

  startGateway(): GatewayProcess {
    this.gateway = new GatewayProcess(this.timeline, this.random, this.parts.listenToAnyEpoch);
    this.wire.gateway = this.gateway;
    const { gateway } = this;
    this.timeline.after(this.random.between(1, 1000), () => {
      if (this.engine) gateway.connect(this.engine);
    });
    return gateway;
  }

  // Agents

  addWorker(cluster: string, memoryBytes = this.random.chance(0.5) ? muchMemory : 1e9, leastSlots = 1): Worker {
    const slots = this.random.between(leastSlots, 4);
    const owner = leastSlots === 1 && this.random.chance(0.15) ? { owner: this.random.pick(people) ?? "ada" } : {};
    const facts = { os: "Linux 6.1", arch: "x64", cpus: slots, cpuModel: "", memoryBytes };
    const worker = new Worker(this, {
      cluster,
      slots,
      ...owner,
      host: { name: `host-${this.workers.length + 1}`, ...facts },
    });
    this.workers.push(worker);
    return worker;
  }

  newIdentity(introduction: Introduction): string {
    this.identities += 1;
    const id = simulatedId("agent", this.identities);
    this.introductions.set(id, introduction);
    return id;
  }

  /** Bound here, since workers ask for it by itself. */
  readonly coresOf = (attempt: AttemptId): number => {
    const ref = parseAttemptId(attempt);
    return ref ? (profileOf(this.model.run(ref.run), ref.task)?.cores ?? 1) : 1;
  };

  fate(attempt: AttemptId): { runsMs: number; outcome: Outcome } {
    const runsMs = this.random.chance(0.1) ? this.random.between(2000, 8000) : this.random.between(10, 1500);
    return { runsMs, outcome: this.randomOutcome(attempt) };
  }

  /** What a running task tells of itself, now and then. */
  news(attempt: AttemptId, epoch: number, set: number): Progress | undefined {
    const ref = parseAttemptId(attempt);
    const plan = ref && this.model.run(ref.run).plan;
    const adaptive = ref && plan?.profiles?.[plan.profileOf?.(ref.task) ?? 0]?.adaptive;
    if (!adaptive || this.random.chance(0.5)) return undefined;
    const at = this.timeline.now;
    const files = [{ name: "state", sha256: `${attempt}/${set}`, size: this.random.between(1, 1000) }];
    return {
      attempt,
      epoch,
      ...(adaptive.restart ? { checkpoint: { number: set, files, at } } : {}),
      ...(adaptive.contract ? { samples: [{ n: set, seconds: this.random.next() * 2 * this.trouble, at }] } : {}),
      ...(this.random.chance(0.1 * this.trouble) ? { requirement: needsMuchMemory } : {}),
    };
  }

  private randomOutcome(attempt: AttemptId): Outcome {
    const draw = this.random.next() / Math.max(this.trouble, 0.001);
    if (draw < 0.01) return { is: "failed", reason: "memory-limit" };
    if (draw < 0.08) return { is: "failed", reason: "exit-code", exitCode: draw < 0.02 ? 7 : 1 };
    if (draw < 0.09) return { is: "failed", reason: "executable-missing" };
    if (draw < 0.11) return { is: "lost", reason: "shim-vanished" };
    if (draw < 0.115) return { is: "cancelled" };
    if (draw < 0.12) return { is: "cancelled", reason: "moved-wall-time" };
    if (draw < 0.22) {
      const ref = parseAttemptId(attempt);
      const run = ref && this.model.run(ref.run);
      const predecessors = ref && run ? [...neighbours(run.plan.predecessors, ref.task)] : [];
      const files = predecessors.filter(() => this.random.chance(0.5)).map(fileOf);
      if (this.random.chance(0.1)) return { is: "inputs-missing", files: ["given"] };
      if (files.length > 0) return { is: "inputs-missing", files };
    }
    const ref = parseAttemptId(attempt);
    const branches = ref && this.model.run(ref.run).plan.conditionsOf !== undefined;
    const answer = branches && this.random.chance(0.4) ? { exitCode: otherAnswer } : {};
    return { is: "succeeded", outputs: [], ...answer };
  }

  onStart(worker: Worker, attempt: AttemptId, epoch: number): void {
    this.executions.onStart(worker.id, attempt, epoch);
  }

  onAcknowledged(_worker: Worker, attempt: AttemptId, outcome: Outcome | undefined): void {
    this.executions.onAcknowledged(attempt, outcome);
  }

  allOver(): boolean {
    for (const { state } of this.model.runs.values()) if (state === "queued" || state === "running") return false;
    for (const { done } of this.model.commands.values()) if (!done) return false;
    return this.workers.every((worker) => !worker.exists || worker.idle);
  }
}

function describeMessage(message: ToAgent): string {
  if (!("attempt" in message)) return message.is;
  const { run, task, ordinal } = message.attempt;
  return `${message.is} ${shortId(run)}.${task}.${ordinal}`;
}
