/** The driver for batch systems: what they have in common, over a dialect. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ClusterProblem } from "../cluster-problem";
import type { CommandResult, CommandRunner } from "../command-runner";
import {
  type AgentJob,
  type ClusterDriver,
  type ClusterJob,
  type DiscoveredHost,
  type DriverSettings,
  type HostReading,
  hasEnded,
  type ProbeStep,
  type StartResult,
} from "../driver";
import { probeCluster } from "../probe";
import { batches } from "./batches";
import { type AskOptions, type Batch, type Dialect, listOf, type Submission } from "./dialect";
import { JobMemory } from "./job-memory";
import { defaultStateDirectory } from "./job-script";

const submitTimeoutMs = 120_000;
const askTimeoutMs = 60_000;
const mostCancelledAtATime = 500;
/** How often and how long a probe's job is looked for. */
const probeLookMs = 500;

export class BatchDriver implements ClusterDriver {
  private readonly memory = new JobMemory();
  private listedBefore = false;

  constructor(
    private readonly dialect: Dialect,
    private readonly runner: CommandRunner,
    private readonly settings: DriverSettings = {},
    private readonly probeWaitMs = 30_000,
  ) {}

  get kind() {
    return this.dialect.kind;
  }

  async start(jobs: readonly AgentJob[]): Promise<StartResult[]> {
    const results = new Map<string, StartResult>();
    for (const batch of batches(jobs, this.dialect, this.settings)) {
      for (const result of await this.submit(batch)) results.set(result.agent, result);
    }
    return jobs.flatMap(({ agent }) => results.get(agent) ?? []);
  }

  async list(): Promise<ClusterJob[]> {
    const { dialect, memory } = this;
    const told = await dialect.list(this.ask, this.settings);
    const unknown = memory.unknownArrays(told);
    if (unknown.length > 0 && dialect.members) {
      for (const [array, agents] of await dialect.members(this.ask, unknown)) memory.noteArray(array, agents);
    }
    const shown = told.map((job) => memory.complete(job, dialect.firstIndex));
    memory.take(shown);
    const here = new Set(shown.map(({ job }) => job));
    const now = Date.now();
    const missing = memory.missing(here, now);
    const found = await this.endedJobs(missing, here);
    memory.take(found);
    const known = new Set(found.map(({ job }) => job));
    const judged = missing.filter(({ job }) => !known.has(job)).map((job) => memory.judge(job, now));
    const waiting = judged.filter(({ state }) => !hasEnded(state));
    const ended = memory.endedLately([...found, ...judged], here, now);
    return [...shown, ...waiting, ...ended].filter(({ agent }) => agent !== undefined);
  }

  async cancel(jobs: readonly string[]): Promise<void> {
    this.memory.noteCancelled(jobs);
    for (const part of listOf(jobs, mostCancelledAtATime)) {
      for (const command of this.dialect.cancel(part)) {
        const result = await this.runSchedulerCommand(command, { purpose: "cancel jobs" });
        const complaint = `${result.stderr}\n${result.stdout}`;
        if (result.exitCode === 0 || this.dialect.alreadyEnded.test(complaint)) continue;
        throw this.problem(command, result);
      }
    }
  }

  discover(): Promise<DiscoveredHost[]> {
    return this.dialect.discover(this.ask, this.settings);
  }

  look(): Promise<HostReading[]> {
    return this.dialect.look(this.ask, this.settings);
  }

  probe(tell: (step: ProbeStep) => void): Promise<boolean> {
    return probeCluster({
      runner: this.runner,
      findScheduler: (runner) => this.over(runner).findScheduler(),
      submit: (runner) => this.over(runner).submitProbe(),
      readBack: (runner, job) => this.over(runner).readProbeBack(job),
      tell,
    });
  }

  private over(runner: CommandRunner): BatchDriver {
    return new BatchDriver(this.dialect, runner, this.settings, this.probeWaitMs);
  }

  private async findScheduler(): Promise<string> {
    const { dialect } = this;
    const { stdout, stderr } = await this.ask(dialect.versionCommand, { purpose: "find the scheduler" });
    const hosts = await this.look();
    const up = hosts.filter((host) => host.up).length;
    const [version = ""] = (stdout.trim() || stderr.trim()).split("\n");
    return `${dialect.system} answers (${version.trim()}); ${up} of ${hosts.length} hosts are up.`;
  }

  private async submitProbe(): Promise<{ job: string; sentence: string }> {
    const job: AgentJob = { agent: randomUUID(), user: "probe", script: "exit 0", cores: 1, wallSeconds: 120 };
    const [result] = await this.start([job]);
    if (result?.outcome === "started")
      return { job: result.job, sentence: `A probe was submitted as job ${result.job}.` };
    throw result?.problem ?? new ClusterProblem("unreadable", "The scheduler said nothing about the probe.");
  }

  private async readProbeBack(job: string): Promise<string> {
    const end = Date.now() + this.probeWaitMs;
    let last: ClusterJob | undefined;
    while (!last || !hasEnded(last.state)) {
      last = (await this.list()).find((other) => other.job === job) ?? last;
      if (Date.now() > end) break;
      if (!last || !hasEnded(last.state)) await sleep(probeLookMs);
    }
    if (!last) {
      throw new ClusterProblem(
        "unreadable",
        `Job ${job} was accepted, and ${this.dialect.system} does not show it. Check that the account may see its own jobs.`,
      );
    }
    if (last.state === "completed") return `Job ${job} ran${last.host ? ` on ${last.host}` : ""} and ended with 0.`;
    await this.cancel([job]);
    const why = last.reason ? ` (${last.reason})` : "";
    if (hasEnded(last.state)) {
      throw new ClusterProblem(
        "refused",
        `Job ${job} could be submitted and did not run well: ${last.state}${why}. Try the same with the scheduler's own commands on the front end.`,
      );
    }
    return `Job ${job} is seen as ${last.state}${why}; it did not start at once and was cancelled again.`;
  }

  private async submit(batch: Batch): Promise<StartResult[]> {
    const agents = batch.jobs.map(({ agent }) => agent);
    const all = (problem: ClusterProblem, outcome: "refused" | "unknown"): StartResult[] =>
      agents.map((agent) => ({ agent, outcome, problem }));
    const unusable = this.unusableName(batch.jobs[0]);
    if (unusable) return all(unusable, "refused");
    const submission = this.dialect.submit(batch, this.settings);
    try {
      await this.upload(submission);
      const options = { purpose: "submit agents", stdin: submission.stdin };
      const result = await this.runSchedulerCommand(submission.command, options, submitTimeoutMs);
      if (result.exitCode !== 0) return all(this.problem(submission.command, result), "refused");
      const id = this.dialect.submitted(result.stdout);
      if (id === undefined) {
        const said = result.stdout.trim().slice(0, 200);
        const sentence = `${this.dialect.system} accepted a job and did not tell its id: “${said}”.`;
        return all(new ClusterProblem("unreadable", sentence), "unknown");
      }
      if (agents.length > 1) this.memory.noteArray(id, agents);
      const { firstIndex, singleIsElement } = this.dialect;
      const isArray = agents.length > 1 || singleIsElement;
      const idOf = (index: number) => (isArray ? this.dialect.element(id, index + firstIndex) : id);
      return agents.map((agent, index) => ({ agent, outcome: "started", job: idOf(index) }));
    } catch (error) {
      if (!(error instanceof ClusterProblem)) throw error;
      const lost = error.code === "timed-out" || error.code === "unreachable" || error.code === "unreadable";
      return all(error, lost ? "unknown" : "refused");
    }
  }

  /** Names from forms become words and lines that schedulers read: nothing in them may look like an option or end a line. */
  private unusableName(job: AgentJob): ClusterProblem | undefined {
    const queue = job.queue ?? this.settings.queue;
    if (queue !== undefined && !/^[A-Za-z0-9_@][A-Za-z0-9_.@:,/+-]{0,127}$/.test(queue)) {
      return new ClusterProblem("refused", `“${queue.slice(0, 80)}” is no name of a queue.`);
    }
    const directory = this.settings.stateDirectory ?? "";
    if (!/^[^\p{Cc}$"]*$/u.test(directory))
      return new ClusterProblem("refused", `“${directory}” is no usable directory.`);
    return undefined;
  }

  private async upload({ upload }: Submission): Promise<void> {
    if (!upload) return;
    const write = 'umask 077; cd && mkdir -p -- "$1" && cat >"$1/$2"';
    const directory = `${this.settings.stateDirectory ?? defaultStateDirectory}/jobs`;
    const command = ["sh", "-c", write, "sh", directory, upload.name];
    const options = { stdin: upload.content, purpose: "upload a job's script", timeoutMs: submitTimeoutMs };
    const result = await this.runner.run(command, options);
    if (result.exitCode !== 0) throw this.problem(command, result);
  }

  /** How the missing ended; at the first look, how all ended that are not shown. */
  private async endedJobs(missing: readonly ClusterJob[], shown: ReadonlySet<string>): Promise<ClusterJob[]> {
    const { dialect, memory } = this;
    if (!dialect.ended || (missing.length === 0 && this.listedBefore)) return [];
    const told = await dialect.ended(this.ask, this.listedBefore ? missing : undefined);
    this.listedBefore = true;
    return told.map((job) => memory.complete(job, dialect.firstIndex)).filter(({ job }) => !shown.has(job));
  }

  private readonly ask = async (command: readonly string[], options: AskOptions): Promise<CommandResult> => {
    const result = await this.runSchedulerCommand(command, options);
    if (result.exitCode === 0 || options.fine?.includes(result.exitCode ?? -1)) return result;
    throw this.problem(command, result);
  };

  private runSchedulerCommand(
    command: readonly string[],
    options: AskOptions,
    timeoutMs = askTimeoutMs,
  ): Promise<CommandResult> {
    const environment = Object.entries(this.settings.environment ?? {}).map(([name, value]) => `${name}=${value}`);
    const words = environment.length > 0 ? ["env", ...environment, ...command] : command;
    const { purpose, stdin } = options;
    return this.runner.run(words, { timeoutMs, purpose, ...(stdin !== undefined && { stdin }) });
  }

  private problem(command: readonly string[], { exitCode, stdout, stderr }: CommandResult): ClusterProblem {
    const program =
      command[0] === "env" ? (command.find((word, at) => at > 0 && !word.includes("=")) ?? "") : (command[0] ?? "");
    const { system, serverAway } = this.dialect;
    const said = (stderr.trim() || stdout.trim()).split("\n").slice(-3).join(" ").slice(-400);
    if (exitCode === 127 || exitCode === 126) {
      return new ClusterProblem(
        "no-scheduler",
        `${program} of ${system} was not found on ${this.runner.place}. If it is installed, set PATH in the cluster's environment to where it is.`,
      );
    }
    if (serverAway.test(`${stderr}\n${stdout}`)) {
      return new ClusterProblem("no-scheduler", `${system} on ${this.runner.place} does not answer: ${said}`);
    }
    return new ClusterProblem(
      "refused",
      `${program} of ${system} on ${this.runner.place} refused: ${said || `exit code ${exitCode}`}`,
    );
  }
}
