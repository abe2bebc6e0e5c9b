/**
 * The simulated grid put together: clusters, hosts and agents around the engine, on one timeline. It goes on until every
 * run is over, or nothing has moved for so long that nothing will.
 */
import type { AttemptId } from "@/core/engine/ids";
import { simulatedId } from "@/core/simulation/names";
import { Timeline } from "@/core/simulation/timeline";
import { SimulatedAgent } from "./agent";
import { type AgentEnd, type ClusterListener, SimulatedCluster } from "./cluster";
import { type Assigned, type DriverListener, EngineDriver, type RunRules } from "./engine-driver";
import type { Job } from "./execution";
import type { Grid } from "./grid-schema";
import type { SimulatedHost } from "./host";
import { Recorder } from "./recorder";
import { stream } from "./streams";
import { type Supply, supplyOf } from "./supply";
import type { Workload } from "./workload";

export interface Submission {
  readonly workload: Workload;
  /** Seconds after the start. */
  readonly at?: number;
  readonly rules?: Partial<RunRules>;
}

/** What is submitted is only known when its time has come. */
export interface LaterSubmission {
  readonly at: number;
  later(): Submission;
}

/** What agents offered, by cluster. */
export interface Offered {
  agents: number;
  /** Slots × the time their agents were there. */
  slotSeconds: number;
}

/** Nothing handed out and nothing ended for so long: nothing will be. */
const stalledMs = 30 * 86_400_000;
const defaultRetries = 1;

export class GridWorld implements ClusterListener, DriverListener {
  /** Only its hash is kept: a long simulation's log is longer than the memory. */
  readonly timeline = new Timeline(false);
  readonly recorder = new Recorder(this.timeline);
  readonly clusters: SimulatedCluster[];
  readonly offered = new Map<string, Offered>();
  readonly runs = new Map<string, Workload>();
  events = 0;
  readonly supply: Supply;
  private readonly driver: EngineDriver;
  private readonly agents = new Map<string, SimulatedAgent>();
  private identities = 0;
  private toCome: number;
  private runsOver = 0;

  constructor(
    grid: Grid,
    submissions: readonly (Submission | LaterSubmission)[],
    private readonly seed: number,
    /** What is submitted when so many runs are over, if anything. */
    private readonly follow: (over: number) => Submission | undefined = () => undefined,
  ) {
    this.driver = new EngineDriver(this.timeline, grid.engine, stream(seed, "engine"), this);
    this.clusters = grid.clusters.map((cluster) => new SimulatedCluster(this.timeline, cluster, seed, this));
    this.supply = supplyOf(grid.factory, {
      timeline: this.timeline,
      clusters: this.clusters,
      random: stream(seed, "factory"),
      newAgent: () => this.newAgent(),
      demand: () => this.driver.demand(),
    });
    this.toCome = submissions.length;
    for (const submission of submissions) {
      this.timeline.after((submission.at ?? 0) * 1000, () => {
        this.submit("later" in submission ? submission.later() : submission);
      });
    }
  }

  run(): void {
    for (const cluster of this.clusters) {
      this.offered.set(cluster.name, { agents: 0, slotSeconds: 0 });
      this.driver.openCluster(cluster.described);
      cluster.open();
    }
    this.supply.changed();
    this.driver.tick(() => [...this.agents.keys()]);
    while (!this.over) {
      if (this.timeline.now - this.recorder.lastProgress > stalledMs) break;
      if (!this.timeline.step()) break;
      this.events += 1;
    }
    for (const agent of this.agents.values()) this.count(agent);
  }

  private get over(): boolean {
    return this.toCome === 0 && this.recorder.allOver;
  }

  private submit({ workload, rules }: Submission): void {
    this.toCome -= 1;
    const id = simulatedId("run", this.runs.size + 1);
    this.runs.set(id, workload);
    this.recorder.submitted(id, workload.taskCount);
    this.recorder.lastProgress = this.timeline.now;
    this.driver.submit(id, workload, { retries: defaultRetries, ...rules });
    this.supply.changed();
  }

  // Clusters

  private newAgent(): string {
    this.identities += 1;
    return simulatedId("agent", this.identities);
  }

  startAgent(cluster: SimulatedCluster, host: SimulatedHost, id: string): SimulatedAgent {
    this.timeline.log(`agent ${id.slice(-6)} starts on ${host.name} of ${cluster.name}`);
    this.supply.started(cluster, id);
    const agent = new SimulatedAgent(id, host, {
      timeline: this.timeline,
      driver: this.driver,
      cluster: cluster.name,
      latencyMs: cluster.latencyMs,
      link: cluster.link,
      cache: cluster.cache,
      job: (attempt) => this.job(attempt),
      entered: (attempt, stage) => this.recorder.entered(attempt.id, stage),
      idle: this.supply.idle,
      endsItself: (idle) => cluster.endAgent(idle, "idle"),
    });
    this.agents.set(id, agent);
    const offered = this.offered.get(cluster.name);
    if (offered) offered.agents += 1;
    return agent;
  }

  agentEnded(cluster: SimulatedCluster, agent: SimulatedAgent, why: AgentEnd): void {
    this.timeline.log(`agent on ${agent.host.name} of ${cluster.name} ends: ${why}`);
    this.agents.delete(agent.id);
    this.count(agent);
    this.supply.ended(cluster, agent.id, why);
  }

  queueMoved(cluster: SimulatedCluster): void {
    this.supply.changed(cluster);
  }

  private count(agent: SimulatedAgent): void {
    const offered = this.offered.get(agent.cluster);
    if (offered) offered.slotSeconds += (agent.host.slots * (this.timeline.now - agent.startedAt)) / 1000;
  }

  private job({ run, task, ordinal }: Assigned): Job {
    const workload = this.runs.get(run);
    if (!workload) throw new Error(`there is no run ${run}`);
    const { inputs, outputs } = workload.files(task);
    const ofRun = ({ name, bytes }: { name: string; bytes: number }) => ({ name: `${run}/${name}`, bytes });
    const { profiles, profileOf } = workload.scheduling ?? {};
    const cores = profiles?.[profileOf?.(task) ?? 0]?.cores;
    return {
      seconds: workload.seconds(task),
      ...(cores === undefined ? {} : { cores }),
      inputs: inputs.map(ofRun),
      outputs: outputs.map(ofRun),
      random: stream(this.seed, "attempt", run, task, ordinal),
    };
  }

  // The engine

  recorded(record: Parameters<DriverListener["recorded"]>[0]): void {
    this.recorder.recorded(record);
    if (record.is === "run-state" && this.recorder.runs.get(record.run)?.endedAt !== undefined) this.runIsOver();
    if (record.is !== "outcome") return;
    const times = record.outcome.is === "succeeded" ? this.recorder.timesOf(record.attempt) : undefined;
    if (times) this.supply.observed(times.cluster, times.computeMs, times.transferMs);
    this.supply.changed();
  }

  /** The engine is in the midst of an event: what follows is submitted after it. */
  private runIsOver(): void {
    this.runsOver += 1;
    const next = this.follow(this.runsOver);
    if (!next) return;
    this.toCome += 1;
    this.timeline.after(0, () => this.submit(next));
  }

  assign(agent: string, attempt: Assigned): void {
    this.agents.get(agent)?.receive(attempt);
  }

  stop(agent: string, attempt: AttemptId, report: boolean): void {
    if (!report) this.recorder.superseded(attempt);
    this.agents.get(agent)?.stop(attempt, report);
  }

  refuse(id: string): void {
    const agent = this.agents.get(id);
    const cluster = this.clusters.find(({ name }) => name === agent?.cluster);
    if (agent) cluster?.endAgent(agent, "given-up");
  }
}
