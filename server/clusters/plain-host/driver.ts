/**
 * The driver for a plain host without a batch system, reached by SSH: agents are ordinary background processes of the account.
 * There is no queue and nothing enforces what a job asks for; the agent itself keeps to its slots, memory and time.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { quoteWord } from "@/core/workflow/shell-words";
import { defaultStateDirectory } from "../batch/job-script";
import { ClusterProblem } from "../cluster-problem";
import type { CommandRunner } from "../command-runner";
import {
  type AgentJob,
  type ClusterDriver,
  type ClusterJob,
  type DiscoveredHost,
  type DriverSettings,
  type HostReading,
  hasEnded,
  isAgentId,
  type ProbeStep,
  type StartResult,
} from "../driver";
import { probeCluster } from "../probe";
import { cancelFunction, listProgram, lookProgram, preamble, startFunction } from "./programs";
import { parseAgents, parseHost } from "./records";

export class PlainHostDriver implements ClusterDriver {
  readonly kind = "ssh";

  constructor(
    private readonly runner: CommandRunner,
    private readonly settings: DriverSettings = {},
  ) {}

  async start(jobs: readonly AgentJob[]): Promise<StartResult[]> {
    const mark = `END_${randomBytes(12).toString("hex")}`;
    const calls = jobs.map(({ agent, script }) => `start ${checked(agent)} <<'${mark}'\n${script}\n${mark}\n`);
    try {
      const told = await this.run(`${startFunction}${calls.join("")}`, "start agents");
      const started = new Set([...told.matchAll(/^started (\S+)$/gm)].map(([, agent]) => agent));
      return jobs.map(({ agent }) =>
        started.has(agent)
          ? { agent, outcome: "started", job: agent }
          : {
              agent,
              outcome: "refused",
              problem: new ClusterProblem(
                "refused",
                `${this.runner.place} could not start an agent: is its disk full?`,
              ),
            },
      );
    } catch (error) {
      if (!(error instanceof ClusterProblem)) throw error;
      const outcome =
        error.code === "host-key" || error.code === "not-authorised" || error.code === "refused"
          ? "refused"
          : "unknown";
      return jobs.map(({ agent }) => ({ agent, outcome, problem: error }));
    }
  }

  async list(): Promise<ClusterJob[]> {
    return parseAgents(await this.run(listProgram, "list agents"));
  }

  async cancel(jobs: readonly string[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.run(`${cancelFunction}${jobs.map((job) => `cancel ${checked(job)}\n`).join("")}`, "cancel agents");
  }

  async discover(): Promise<DiscoveredHost[]> {
    return [(await this.lookAt()).host];
  }

  async look(): Promise<HostReading[]> {
    return [(await this.lookAt()).reading];
  }

  probe(tell: (step: ProbeStep) => void): Promise<boolean> {
    return probeCluster({
      runner: this.runner,
      findScheduler: (runner) => this.over(runner).findHost(),
      submit: (runner) => this.over(runner).submitProbe(),
      readBack: (runner, job) => this.over(runner).readProbeBack(job),
      tell,
    });
  }

  private over(runner: CommandRunner): PlainHostDriver {
    return new PlainHostDriver(runner, this.settings);
  }

  private async findHost(): Promise<string> {
    const missing = await this.run(
      "for p in setsid find date sed; do command -v $p >/dev/null || echo $p; done\n",
      "find programs",
    );
    if (missing.trim() !== "") {
      const names = missing.trim().split("\n").join(", ");
      throw new ClusterProblem(
        "no-scheduler",
        `${this.runner.place} lacks ${names}, which agents are started with. Install util-linux and coreutils there.`,
      );
    }
    const { host } = await this.lookAt();
    return `A plain host: ${host.name}, ${host.cpus} cores, ${host.os ?? ""} ${host.arch ?? ""}.`;
  }

  private async submitProbe(): Promise<{ job: string; sentence: string }> {
    const job: AgentJob = { agent: randomUUID(), user: "probe", script: "exit 0", cores: 1 };
    const [result] = await this.start([job]);
    if (result?.outcome !== "started")
      throw result?.problem ?? new ClusterProblem("unreadable", "Nothing was said about the probe.");
    return { job: result.job, sentence: "A probe was started in the background." };
  }

  private async readProbeBack(job: string): Promise<string> {
    for (let left = 50; ; left--) {
      const found = (await this.list()).find((other) => other.job === job);
      if (found?.state === "completed") break;
      if (left === 0 || (found && hasEnded(found.state))) {
        throw new ClusterProblem(
          "refused",
          `The probe did not run well (${found?.state ?? "not seen"}${found?.reason ? `, ${found.reason}` : ""}). See ${this.root}/${job}/log on ${this.runner.place}.`,
        );
      }
      await sleep(200);
    }
    await this.run(`rm -rf "$root"/${checked(job)}\n`, "remove the probe");
    return "The probe ran in the background and ended with 0.";
  }

  private get root(): string {
    return `${this.settings.stateDirectory ?? defaultStateDirectory}/agents`;
  }

  private async lookAt(): Promise<{ host: DiscoveredHost; reading: HostReading }> {
    const told = await this.run(lookProgram, "look at the host");
    const host = parseHost(told);
    if (host) return host;
    throw new ClusterProblem(
      "unreadable",
      `${this.runner.place} does not tell its name and cores; only Linux hosts can be used.`,
    );
  }

  private async run(program: string, purpose: string): Promise<string> {
    const environment = Object.entries(this.settings.environment ?? {}).map(([name, value]) => `${name}=${value}`);
    const command = environment.length > 0 ? ["env", ...environment, "sh"] : ["sh"];
    const stdin = `${preamble}root=${quoteWord(this.root)}\n${program}`;
    const { exitCode, stdout, stderr } = await this.runner.run(command, { stdin, timeoutMs: 60_000, purpose });
    if (exitCode === 0) return stdout;
    throw new ClusterProblem(
      "refused",
      `${this.runner.place} could not ${purpose}: ${stderr.trim().slice(-300) || `exit code ${exitCode}`}`,
    );
  }
}

/** It becomes a word of a program. */
function checked(agent: string): string {
  if (!isAgentId(agent)) throw new Error(`${agent} is no agent's id`);
  return agent;
}
