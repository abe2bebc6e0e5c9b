/** Starts the real agent program, bundled as it travels, in a directory of its own, for the tests. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import type { Assignment } from "@/core/protocol/agent";
import { taskPath } from "./task-environment";

export interface Setting {
  isolation: "accounts" | "namespaces" | "none";
  slots?: number;
  hide?: string[];
  cacheBytes?: number;
  gatewayUrl: string;
  token: string;
  /** Further settings of its configuration. */
  config?: Record<string, unknown>;
}

/** Accounts no other program has; they need no entry in the list of accounts. */
const firstUid = 61_500;
const ordinaryUid = 61_499;

export class AgentUnderTest {
  readonly root: string;
  readonly directory: string;
  readonly slotsDirectory: string;
  readonly program: string;
  readonly #setting: Setting;
  #child: ChildProcess | undefined;
  log = "";

  constructor(setting: Setting) {
    this.#setting = setting;
    this.root = mkdtempSync(join(tmpdir(), "gridloom-agent-"));
    this.directory = join(this.root, "home/agent");
    this.slotsDirectory = join(this.root, "home/slots");
    this.program = join(this.root, "agent.mjs");
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    mkdirSync(this.slotsDirectory, { mode: 0o711 });
    buildSync({ entryPoints: ["agent/main.ts"], bundle: true, platform: "node", format: "esm", outfile: this.program });
    writeFileSync(join(this.directory, "identity.json"), JSON.stringify({ agent: crypto.randomUUID() }));
    writeFileSync(join(this.directory, "token"), setting.token, { mode: 0o600 });
    writeFileSync(this.configFile, JSON.stringify(this.#config()), { mode: 0o600 });
    spawnSync("chmod", ["711", this.root, join(this.root, "home")]);
    if (this.#asOrdinaryUser) spawnSync("chown", ["-R", `${ordinaryUid}:${ordinaryUid}`, this.root]);
  }

  get configFile(): string {
    return join(this.directory, "config.json");
  }

  get #asOrdinaryUser(): boolean {
    return this.#setting.isolation !== "accounts" && process.getuid?.() === 0;
  }

  #config() {
    const { isolation, slots = 2, hide = [], cacheBytes, gatewayUrl } = this.#setting;
    const account = (number: number) =>
      isolation === "accounts" ? { uid: firstUid + number, gid: firstUid + number } : {};
    return {
      gatewayUrl,
      tokenFile: join(this.directory, "token"),
      directory: this.directory,
      slotsDirectory: this.slotsDirectory,
      slots: Array.from({ length: slots }, (_, index) => ({ number: index + 1, ...account(index + 1) })),
      isolation,
      hide: [join(this.root, "home"), ...hide],
      cacheBytes,
      ...this.#setting.config,
    };
  }

  uidOf(slot: number): number {
    return firstUid + slot;
  }

  /** Hands a file to whoever the agent runs as. */
  give(path: string): void {
    if (this.#asOrdinaryUser) chownSync(path, ordinaryUid, ordinaryUid);
  }

  /** `inherited`: descriptors it is to find open, at numbers far from the usual ones. */
  start(inherited: readonly number[] = []): ChildProcess {
    const words = [process.execPath, this.program, "--config", this.configFile];
    if (this.#asOrdinaryUser) {
      words.unshift("setpriv", `--reuid=${ordinaryUid}`, `--regid=${ordinaryUid}`, "--clear-groups", "--");
    }
    const [program = "", ...rest] = words;
    const child = spawn(program, rest, {
      stdio: ["ignore", "ignore", "pipe", ...Array.from({ length: 27 }, () => "ignore" as const), ...inherited],
      env: { PATH: taskPath, NODE_ENV: "production", PORTAL_SECRET: "must-not-be-seen" },
      cwd: "/",
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.log += text;
    });
    this.#child = child;
    return child;
  }

  /** Ends the program and tells its exit code; null if a signal ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.kill(signal);
    return await ended;
  }

  async remove(): Promise<void> {
    await this.end("SIGTERM");
    rmSync(this.root, { recursive: true, force: true });
  }
}

let counter = 0;

export function assignmentOf(
  command: Assignment["command"] | string,
  more: Partial<Omit<Assignment, "limits">> & { limits?: Partial<Assignment["limits"]> } = {},
): Assignment {
  const taskIndex = ++counter;
  return {
    attempt: `01234567-89ab-cdef-0123-456789abcdef.${taskIndex}.1`,
    epoch: 7,
    taskName: `task ${taskIndex}`,
    runName: "a run",
    taskIndex,
    command: typeof command === "string" ? { is: "shell", line: command } : command,
    inputs: [],
    outputs: [],
    environment: [],
    ...more,
    limits: { wallSeconds: 60, memoryBytes: 2 ** 31, outputBytes: 2 ** 28, streamBytes: 2 ** 24, ...more.limits },
  };
}
