/**
 * An agent for tests and measurements: it speaks the protocol over real HTTP, follows its rules (whole inventory, ends kept until
 * acknowledged, news starts the next exchange while the gateway lets go of the one it holds) and executes nothing.
 */
import { createHash } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentId } from "@/core/engine/ids";
import type { Assignment, Exchange, ExchangeReply, AgentOutcome as Outcome } from "@/core/protocol/agent";
import { exchangeReply } from "@/core/protocol/agent";

export interface FakeAgentOptions {
  url: string;
  token: string;
  id: AgentId;
  slots: number;
  /** What an attempt comes to; at once if not given: success, with its outputs uploaded. */
  run?(assignment: Assignment, agent: FakeAgent): Promise<Outcome> | Outcome;
}

interface HeldAttempt {
  assignment: Assignment;
  end?: Exchange["ended"][number];
}

export class FakeAgent {
  /** How often each attempt was started: more than once is a fault of the system. */
  readonly starts = new Map<string, number>();
  readonly cancelled = new Set<string>();
  refused = false;
  exchanges = 0;
  private readonly held = new Map<string, HeldAttempt>();
  private started: Exchange["started"] = [];
  private output: Exchange["output"] = [];
  private stopped = false;
  private readonly abandon = new AbortController();
  private onNews: () => void = () => undefined;
  private loop?: Promise<void>;
  private readonly connections = new Agent({ keepAlive: true });

  constructor(readonly options: FakeAgentOptions) {}

  start(): void {
    this.loop = this.work();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.abandon.abort();
    await this.loop;
    this.connections.destroy();
  }

  print(assignment: Assignment, stream: "stdout" | "stderr", offset: number, text: string): void {
    this.output.push({ attempt: assignment.attempt, stream, offset, base64: Buffer.from(text).toString("base64") });
  }

  /** Uploads content and gives what a success reports of it. */
  async upload(name: string, content: string, transient = false) {
    const sha256 = createHash("sha256").update(content).digest("hex");
    if (!transient) {
      const { status } = await this.call("PUT", `/agent/v1/files/${sha256}`, content);
      if (status !== 204) throw new Error(`the upload was answered with ${status}`);
    }
    return { name, sha256, size: Buffer.byteLength(content), transient };
  }

  async call(
    method: string,
    path: string,
    body?: string,
    signal?: AbortSignal,
  ): Promise<{ status: number; text: string }> {
    return await new Promise((resolve, reject) => {
      const outgoing = request(
        new URL(path, this.options.url),
        {
          method,
          agent: this.connections,
          headers: {
            Authorization: `Bearer ${this.options.token}`,
            ...(body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) }),
          },
          ...(signal ? { signal } : {}),
        },
        (response) => {
          const parts: Buffer[] = [];
          response.on("data", (part: Buffer) => parts.push(part));
          response.on("error", reject);
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
          );
        },
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }

  private async work(): Promise<void> {
    let greeted = false;
    let older: Promise<void> = Promise.resolve();
    while (!this.stopped && !this.refused) {
      if (!greeted) {
        greeted = await this.hello().catch(() => false);
        if (!greeted) await sleep(50);
        continue;
      }
      const news = new Promise<void>((resolve) => {
        this.onNews = resolve;
      });
      // The gateway is away: what was to be told is told again.
      const call = this.exchange().catch(() => sleep(50));
      await Promise.race([call, news]);
      await older;
      older = call;
    }
    await older;
  }

  private async hello(): Promise<boolean> {
    const { id, slots } = this.options;
    const host = { name: "fake", os: "linux", arch: "x64", cpus: 1, cpuModel: "none", memoryBytes: 0 };
    const body = { protocol: 1, agent: id, host, slots, capabilities: [] };
    const { status } = await this.call("POST", "/agent/v1/hello", JSON.stringify(body));
    return status === 200;
  }

  private async exchange(): Promise<void> {
    const { started, output } = this;
    const ended = [...this.held.values()].flatMap(({ end }) => end ?? []);
    const body: Exchange = {
      agent: this.options.id,
      held: [...this.held.values()].map(({ assignment: { attempt, epoch } }) => ({ attempt, epoch })),
      started,
      ended,
      output,
      goodbye: false,
      waitMs: 10_000,
    };
    this.exchanges++;
    const { status, text } = await this.call("POST", "/agent/v1/exchange", JSON.stringify(body), this.abandon.signal);
    if (status !== 200) {
      await sleep(50);
      return;
    }
    this.started = this.started.filter((item) => !started.includes(item));
    this.output = this.output.filter((item) => !output.includes(item));
    this.obey(exchangeReply.parse(JSON.parse(text)));
  }

  private obey(reply: ExchangeReply): void {
    this.refused = reply.refused;
    for (const attempt of [...reply.acknowledge, ...reply.discard]) this.held.delete(attempt);
    for (const assignment of reply.assign) this.take(assignment);
    for (const attempt of reply.cancel) this.cancel(attempt);
  }

  private take(assignment: Assignment): void {
    if (this.held.has(assignment.attempt)) return;
    const held: HeldAttempt = { assignment };
    this.held.set(assignment.attempt, held);
    this.starts.set(assignment.attempt, (this.starts.get(assignment.attempt) ?? 0) + 1);
    this.started.push({ attempt: assignment.attempt, epoch: assignment.epoch, at: Date.now() });
    const outcome = this.options.run?.(assignment, this) ?? this.succeed(assignment);
    if (!(outcome instanceof Promise)) {
      this.end(held, outcome);
      return;
    }
    void outcome.then((value) => {
      this.end(held, value);
      this.onNews();
    });
  }

  /** Until it works: a gateway that is away is no reason to lose a result. */
  async succeed(assignment: Assignment): Promise<Outcome> {
    for (;;) {
      try {
        const outputs = await Promise.all(
          assignment.outputs.map(({ name, transient }) =>
            this.upload(name, `${assignment.taskName} made ${name}`, transient),
          ),
        );
        return { is: "succeeded", outputs };
      } catch {
        await sleep(50);
      }
    }
  }

  private end(held: HeldAttempt, outcome: Outcome): void {
    const { attempt, epoch } = held.assignment;
    held.end ??= { attempt, epoch, outcome, usage: {} };
  }

  private cancel(attempt: string): void {
    const held = this.held.get(attempt);
    if (!held || held.end) return;
    this.cancelled.add(attempt);
    this.end(held, { is: "cancelled" });
  }
}
