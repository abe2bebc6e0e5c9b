/**
 * A box: a machine of its own as far as its programs can tell, with its own processes, host name, mounts and, if wanted,
 * network. It is one child of ours. When that ends, however it ends, the kernel ends everything inside, so a test
 * that is killed leaves nothing behind. Needs root.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { runProcess } from "@/server/clusters/run-process";

export interface BoxOptions {
  hostName: string;
  /** `shared`: this machine's network. `own`: nothing but a loopback interface, until something is added. */
  network: "shared" | "own";
  /** What is seen at a place inside instead of what is there outside. */
  mounts?: readonly { from: string; at: string }[];
}

export interface CommandInBox {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

// The first process of the box adopts orphans and takes their exit statuses, as a real machine's does.
const firstProcess = `set -e
name=$1; network=$2; shift 2
mount --make-rprivate /
while [ $# -gt 1 ]; do mount --bind "$1" "$2"; shift 2; done
hostname "$name"
[ "$network" = shared ] || ip link set lo up
echo ready
trap : TERM INT HUP
while :; do sleep 0.5 || :; done`;

export class Box {
  private constructor(
    readonly hostName: string,
    private readonly outer: ChildProcess,
    /** Of its first process, as seen from outside. */
    readonly pid: number,
    readonly ownNetwork: boolean,
  ) {}

  static async start({ hostName, network, mounts = [] }: BoxOptions): Promise<Box> {
    if (process.getuid?.() !== 0) throw new Error("The test clusters need root: they make namespaces.");
    const isolate = ["--pid", "--fork", "--kill-child=KILL", "--mount", "--mount-proc", "--uts"];
    const words = ["setpriv", "--pdeathsig", "KILL", "unshare", ...isolate, ...(network === "own" ? ["--net"] : [])];
    const places = mounts.flatMap(({ from, at }) => [from, at]);
    const [program = "", ...rest] = [...words, "/bin/sh", "-c", firstProcess, "sh", hostName, network, ...places];
    const outer = spawn(program, rest, { cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
    let complaint = "";
    outer.stderr.on("data", (chunk: Buffer) => {
      complaint += chunk.toString("utf8");
    });
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: outer.stdout }).once("line", () => resolve());
      outer.once("error", reject);
      outer.once("close", (code) => reject(new Error(`box ${hostName} ended with ${code}: ${complaint}`)));
    });
    const pid = Number(readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, "utf8").trim());
    return new Box(hostName, outer, pid, network === "own");
  }

  /** The words that run a program inside. */
  words(...words: readonly string[]): string[] {
    const spaces = ["--mount", "--uts", "--pid", ...(this.ownNetwork ? ["--net"] : [])];
    return ["nsenter", `--target=${this.pid}`, ...spaces, "--wd=/", "--", ...words];
  }

  /** Starts a program that stays. Its output goes to `log`, a descriptor, or nowhere. */
  spawn(
    words: readonly string[],
    options: { environment?: Readonly<Record<string, string>>; log?: number } = {},
  ): ChildProcess {
    const [program = "", ...rest] = this.words(...words);
    const output = options.log ?? "ignore";
    const child = spawn(program, rest, {
      cwd: "/",
      env: { ...process.env, ...options.environment },
      stdio: ["ignore", output, output],
      detached: true,
    });
    child.on("error", () => {});
    child.unref();
    return child;
  }

  async run(words: readonly string[], stdin?: string): Promise<CommandInBox> {
    const end = await runProcess(this.words(...words), { timeoutMs: 60_000, ...(stdin !== undefined && { stdin }) });
    if (end.stopped) throw new Error(`${words.join(" ")} in ${this.hostName}: ${end.stopped.detail}`);
    return end;
  }

  /** All at once, as when the power fails. */
  async stop(): Promise<void> {
    if (this.outer.exitCode !== null || this.outer.signalCode !== null) return;
    const ended = new Promise((resolve) => this.outer.once("close", resolve));
    try {
      process.kill(this.pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
    await ended;
  }
}

/** For names that must not meet those of another test run. */
export function uniqueWord(): string {
  return randomBytes(4).toString("hex");
}

/** Asks until the answer is yes. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`${what}: not within ${timeoutMs / 1000} s`);
    await sleep(50);
  }
}
