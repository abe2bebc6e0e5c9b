/**
 * One part of the portal, a child process that is kept running.
 *
 *   starting ──{ready:true}──▶ up ──exit──▶ waiting (back-off) ──▶ starting
 *      └──────────exit──────────────────────▶ waiting
 *   any ──stop()──▶ stopping ──exit──▶ stopped
 *   any ──restart()──▶ stopping ──exit──▶ starting, without waiting
 *
 * The back-off doubles with each exit and starts over when the part was healthy for a while.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { PartLog } from "./part-log";

export interface Launch {
  command: string;
  arguments: string[];
  environment: NodeJS.ProcessEnv;
  directory?: string;
}

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** How one start ended: the process exited, or there was none because its launch could not be prepared. */
type End = Exit | { problem: string };

export interface PartSpec {
  name: string;
  /** Asked at each start: what to run may have changed, as the agent's identity does. */
  launch: () => Launch | Promise<Launch>;
  /** Default true: it is ready when it says `{ ready: true }`. False: as soon as it runs. */
  saysReady?: boolean;
  /** It is ready, again after each restart. */
  onReady?: () => void;
  /** What it says besides that it is ready. */
  onMessage?: (message: unknown) => void;
  onExit?: () => void;
}

export interface BackOff {
  firstMs: number;
  longestMs: number;
  /** Up for this long: the next exit counts as the first again. */
  healthyMs: number;
}

export const defaultBackOff: BackOff = { firstMs: 200, longestMs: 10_000, healthyMs: 30_000 };

export class SupervisedPart {
  private child: ChildProcess | undefined;
  private wanted = false;
  private nextDelayMs: number;
  private readonly readiness: Promise<void>;
  private markReady: () => void = () => {};
  private markFailed: (error: Error) => void = () => {};
  private exitsBeforeReady = 0;
  private wake = new AbortController();
  private loop: Promise<void> = Promise.resolve();

  constructor(
    readonly spec: PartSpec,
    readonly output: PartLog,
    private readonly log: (line: string) => void,
    private readonly backOff: BackOff = defaultBackOff,
  ) {
    this.nextDelayMs = backOff.firstMs;
    this.readiness = new Promise((resolve, reject) => {
      this.markReady = resolve;
      this.markFailed = reject;
    });
    this.readiness.catch(() => {});
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts it and keeps it running. Resolves when it is ready for the first time; rejects when it cannot get there. */
  start(): Promise<void> {
    this.wanted = true;
    this.loop = this.keepRunning();
    return this.readiness;
  }

  /** Ends it and starts it again at once. */
  restart(): void {
    this.nextDelayMs = 0;
    this.child?.kill("SIGTERM");
    this.wake.abort();
  }

  /** To the part as it runs now; lost if it does not. */
  tell(message: object): void {
    if (this.child?.connected) this.child.send(message, () => {});
  }

  async stop(graceMs: number): Promise<void> {
    this.wanted = false;
    this.wake.abort();
    this.markFailed(new Error(`${this.spec.name} was stopped`));
    const { child } = this;
    child?.kill("SIGTERM");
    const kill = setTimeout(() => child?.kill("SIGKILL"), graceMs);
    await this.loop;
    clearTimeout(kill);
    this.output.close();
  }

  private async keepRunning(): Promise<void> {
    while (this.wanted) {
      const startedAt = performance.now();
      const exit = await this.runOnce();
      if (!this.wanted) return;
      if (performance.now() - startedAt >= this.backOff.healthyMs) this.nextDelayMs = this.backOff.firstMs;
      const delayMs = this.nextDelayMs;
      const when = delayMs === 0 ? "restarting" : `restarting in ${delayMs / 1000} s`;
      this.log(`${this.spec.name} ${describeEnd(exit)}, ${when}`);
      this.giveUpIfItNeverCameUp();
      this.nextDelayMs = Math.min(Math.max(delayMs, this.backOff.firstMs / 2) * 2, this.backOff.longestMs);
      this.wake = new AbortController();
      await sleep(delayMs, undefined, { signal: this.wake.signal }).catch(() => {});
    }
  }

  /** Whoever waits for the first readiness should hear soon that it will not come. */
  private giveUpIfItNeverCameUp(): void {
    this.exitsBeforeReady += 1;
    if (this.exitsBeforeReady < 3) return;
    this.markFailed(new Error(`${this.spec.name} does not start. The end of its log:\n${this.output.tail()}`));
  }

  private async runOnce(): Promise<End> {
    let launch: Launch;
    try {
      launch = await this.spec.launch();
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.output.write(problem);
      return { problem };
    }
    return this.wanted ? this.runUntilExit(launch) : { problem: "no longer wanted" };
  }

  private runUntilExit(launch: Launch): Promise<Exit> {
    return new Promise((resolve) => {
      const child = spawn(launch.command, launch.arguments, {
        cwd: launch.directory,
        env: launch.environment,
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      });
      this.child = child;
      this.output.forgetTail();
      this.output.write(`${new Date().toISOString()} started, process ${child.pid}`);
      this.keepLines(child.stdout);
      this.keepLines(child.stderr);
      const nowReady = () => {
        this.exitsBeforeReady = Number.NEGATIVE_INFINITY;
        this.markReady();
        this.spec.onReady?.();
      };
      if (this.spec.saysReady === false) child.once("spawn", nowReady);
      child.on("message", (message) => {
        if (isReadyMessage(message)) nowReady();
        else this.spec.onMessage?.(message);
      });
      const ended = (exit: Exit) => {
        if (this.child !== child) return;
        this.child = undefined;
        this.spec.onExit?.();
        this.output.write(`${new Date().toISOString()} exited (${describeExit(exit)})`);
        resolve(exit);
      };
      child.once("error", (error) => {
        this.output.write(String(error));
        if (child.pid === undefined) ended({ code: 127, signal: null });
      });
      child.once("exit", (code, signal) => ended({ code, signal }));
    });
  }

  private keepLines(stream: Readable | null): void {
    if (!stream) return;
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
      this.output.write(line);
      const warning = warningIn(line);
      if (warning) this.log(`${this.spec.name}: ${warning}`);
    });
  }
}

function describeEnd(end: End): string {
  return "problem" in end ? `could not be started (${end.problem})` : `exited (${describeExit(end)})`;
}

function describeExit({ code, signal }: Exit): string {
  return signal ? `signal ${signal}` : `code ${code}`;
}

function isReadyMessage(message: unknown): boolean {
  return typeof message === "object" && message !== null && "ready" in message && message.ready === true;
}

/** Parts log JSON lines with numeric levels; 40 is a warning, and people at the console should see it. */
function warningIn(line: string): string | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry !== "object" || entry === null || !("level" in entry) || !("msg" in entry)) return undefined;
    return Number(entry.level) >= 40 ? String(entry.msg) : undefined;
  } catch {
    return undefined;
  }
}
