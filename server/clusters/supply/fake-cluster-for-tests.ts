/**
 * A cluster of the test's own: jobs are rows in memory, and a job that runs is an agent that speaks the protocol and executes nothing.
 * Its front end can be away, hang, or lose the answer to a submission.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { FakeAgent, type FakeAgentOptions } from "@/server/gateway/fake-agent";
import { ClusterProblem } from "../cluster-problem";
import type { AgentJob, ClusterDriver, ClusterJob, JobState, StartResult } from "../driver";
import { hasEnded, jobName } from "../driver";

interface Job {
  job: string;
  asked: AgentJob;
  state: JobState;
  since: number;
  agent?: FakeAgent;
}

export class FakeCluster implements ClusterDriver {
  readonly kind = "slurm";
  readonly jobs: Job[] = [];
  readonly cancelled: string[] = [];
  calls = { list: 0, start: 0 };
  /** What the front end does with a call. */
  frontEnd: "up" | "down" | "hangs" = "up";
  /** Jobs it runs at a time; the others wait. */
  runs = Number.POSITIVE_INFINITY;
  /** Takes the job, and the answer is lost on the way. */
  losesAnswers = false;
  mostLiving = 0;
  /** Called before jobs are taken. */
  onStart: (jobs: readonly AgentJob[]) => Promise<void> | void = () => undefined;

  constructor(
    private readonly gatewayUrl: () => string,
    private readonly run?: FakeAgentOptions["run"],
  ) {}

  async start(jobs: readonly AgentJob[]): Promise<StartResult[]> {
    this.calls.start += 1;
    await this.answer();
    await this.onStart(jobs);
    const results = jobs.map((asked): StartResult => {
      const job = String(100 + this.jobs.length);
      this.jobs.push({ job, asked, state: "queued", since: Date.now() });
      if (!this.losesAnswers) return { agent: asked.agent, outcome: "started", job };
      return { agent: asked.agent, outcome: "unknown", problem: new ClusterProblem("timed-out", "No answer came.") };
    });
    this.mostLiving = Math.max(this.mostLiving, this.living().length);
    this.advance();
    return results;
  }

  async list(): Promise<ClusterJob[]> {
    this.calls.list += 1;
    await this.answer();
    this.advance();
    return this.jobs.map(({ job, asked, state, since }) => ({
      ...{ job, name: jobName(asked.agent), agent: asked.agent, state, since },
    }));
  }

  async cancel(jobs: readonly string[]): Promise<void> {
    for (const job of this.jobs) {
      if (!jobs.includes(job.job) || hasEnded(job.state)) continue;
      this.cancelled.push(job.job);
      await this.end(job, "cancelled");
    }
  }

  discover: ClusterDriver["discover"] = async () => [
    { name: "node1", cpus: 8, memoryBytes: 2 ** 34, arch: "X86_64", attributes: { HasScratch: true } },
  ];

  look: ClusterDriver["look"] = async () => [{ name: "node1", up: true, freeCpus: 3, load: 0.5, attributes: {} }];

  async probe(): Promise<boolean> {
    return this.frontEnd === "up";
  }

  living(): Job[] {
    return this.jobs.filter(({ state }) => !hasEnded(state));
  }

  async end(job: Job, state: JobState): Promise<void> {
    job.state = state;
    job.since = Date.now();
    await job.agent?.stop();
    this.advance();
  }

  async close(): Promise<void> {
    this.runs = 0;
    for (const { agent } of this.jobs) await agent?.stop();
  }

  private advance(): void {
    for (const job of this.jobs) {
      if (job.state !== "queued" || this.jobs.filter(({ state }) => state === "running").length >= this.runs) continue;
      job.state = "running";
      job.since = Date.now();
      const { id, token, slots }: { id: string; token: string; slots: number } = JSON.parse(job.asked.script);
      const run = this.run && { run: this.run };
      job.agent = new FakeAgent({ url: this.gatewayUrl(), id, token, slots, ...run });
      job.agent.start();
    }
  }

  private async answer(): Promise<void> {
    if (this.frontEnd === "up") return;
    if (this.frontEnd === "hangs") await sleep(3_600_000, undefined, { ref: false });
    throw new ClusterProblem("unreachable", "The front end does not answer.");
  }
}
