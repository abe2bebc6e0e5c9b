/**
 * One SSH connection to a front end, shared by all commands (OpenSSH's ControlMaster): a new connection costs a quarter of a
 * second, a command over an open one some milliseconds.
 *
 *   closed ──open()──▶ opening ──says it is ready──▶ open ──ends──▶ closed
 *                        └──ends──▶ closed, with what ssh said
 *
 * The connection is a child of ours whose standard input we hold: it ends when we end, however we end. The private key is
 * on disk only while the connection is being opened.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClusterProblem } from "./cluster-problem";
import { type CommandRecorder, shorten } from "./command-runner";
import { makeConnectionDirectory, removeConnectionDirectory } from "./connection-directory";
import { record } from "./here";
import { parseHostKey } from "./host-key";
import { plainEnvironment } from "./run-process";
import { checkSshName } from "./ssh-names";
import { sshProblem } from "./ssh-problem";

export interface SshTarget {
  host: string;
  port: number;
  login: string;
  /** OpenSSH or PEM text, without a passphrase. */
  privateKey: string;
  /** The pinned host key, `ssh-ed25519 AAAA…`. */
  hostKey: string;
  connectSeconds?: number;
}

/** Under this name the pinned key is looked up, so that address and port do not matter. */
const keyAlias = "gridloom-cluster";
/** Longer names do not fit into a socket's address; ssh itself adds 17 characters while it makes the socket. */
const longestSocketName = 90;

export class SshConnection {
  readonly place: string;
  private directory: string | undefined;
  private opening: Promise<void> | undefined;
  private master: ChildProcess | undefined;
  private isOpen = false;
  private closed = false;
  private readonly lostListeners = new Set<() => void>();

  constructor(
    private readonly target: SshTarget,
    private readonly parentDirectory = tmpdir(),
  ) {
    checkSshName("host", target.host);
    checkSshName("login", target.login);
    this.place = `${target.login}@${target.host}${target.port === 22 ? "" : `:${target.port}`}`;
  }

  /** Called when an open connection ends other than by `close`: tunnels over it are gone. */
  onLost(listener: () => void): () => void {
    this.lostListeners.add(listener);
    return () => this.lostListeners.delete(listener);
  }

  /** Opens it unless it is open. Rejects with a `ClusterProblem`. */
  async open(recorders: readonly CommandRecorder[] = []): Promise<void> {
    if (this.closed)
      throw new ClusterProblem("unreachable", `The connection to ${this.place} was closed by the portal.`);
    // Whoever tidies temporary directories may have taken the socket: the connection is of no use then.
    if (this.isOpen && !existsSync(join(this.directory ?? "", "socket"))) this.abandon();
    this.opening ??= this.connect(recorders).catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    await this.opening;
  }

  /** The words that speak over the open connection; without one they fail at once instead of connecting anew. */
  clientWords(...words: readonly string[]): string[] {
    return ["ssh", ...this.options(), "-o", "ControlMaster=no", "-o", "ProxyCommand=/bin/false", ...words];
  }

  get host(): string {
    return this.target.host;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.opening?.catch(() => {});
    const master = this.master;
    if (master && master.exitCode === null && master.signalCode === null) {
      const ended = new Promise((resolve) => master.once("close", resolve));
      master.kill("SIGTERM");
      const timer = setTimeout(() => master.kill("SIGKILL"), 2_000);
      await ended;
      clearTimeout(timer);
    }
    this.forget();
  }

  private options(): string[] {
    const directory = this.directory ?? "/nonexistent";
    const settings = {
      BatchMode: "yes",
      StrictHostKeyChecking: "yes",
      HostKeyAlias: keyAlias,
      UserKnownHostsFile: join(directory, "known_hosts"),
      GlobalKnownHostsFile: "/dev/null",
      UpdateHostKeys: "no",
      CheckHostIP: "no",
      IdentityFile: join(directory, "key"),
      IdentitiesOnly: "yes",
      IdentityAgent: "none",
      PreferredAuthentications: "publickey",
      ForwardAgent: "no",
      ForwardX11: "no",
      PermitLocalCommand: "no",
      LogLevel: "ERROR",
      ConnectTimeout: String(this.target.connectSeconds ?? 10),
      ServerAliveInterval: "10",
      ServerAliveCountMax: "3",
      ControlPath: join(directory, "socket"),
    };
    const words = Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
    return ["-F", "none", "-T", "-p", String(this.target.port), "-l", this.target.login, ...words];
  }

  private async connect(recorders: readonly CommandRecorder[]): Promise<void> {
    const directory = await this.prepareDirectory();
    const keyFile = join(directory, "key");
    try {
      const key = this.target.privateKey.replaceAll("\r\n", "\n");
      await writeFile(keyFile, key.endsWith("\n") ? key : `${key}\n`, { mode: 0o600 });
      await this.startMaster(recorders);
    } catch (error) {
      this.forget();
      throw error;
    } finally {
      await rm(keyFile, { force: true });
    }
  }

  private async prepareDirectory(): Promise<string> {
    const hostKey = parseHostKey(this.target.hostKey);
    if (!hostKey) {
      const sentence = `No host key was confirmed for ${this.place}. Confirm it on the cluster's page.`;
      throw new ClusterProblem("host-key", sentence);
    }
    const directory = await makeConnectionDirectory(this.parentDirectory);
    this.directory = directory;
    if (join(directory, "socket").length > longestSocketName) {
      throw new Error(`the directory ${directory} has too long a name for a socket`);
    }
    await writeFile(join(directory, "known_hosts"), `${keyAlias} ${hostKey.key}\n`, { mode: 0o600 });
    return directory;
  }

  /** A remote `cat` that reads our end of a pipe: it says when the connection is up, and ends when we do. */
  private startMaster(recorders: readonly CommandRecorder[]): Promise<void> {
    const ready = `ready-${randomBytes(8).toString("hex")}`;
    const keep = `exec /bin/sh -c 'echo ${ready}; exec cat >/dev/null'`;
    const words = [
      "ssh",
      ...this.options(),
      "-o",
      "ControlMaster=yes",
      "-o",
      "ControlPersist=no",
      "--",
      this.target.host,
      keep,
    ];
    const [program = "", ...rest] = words;
    const at = Date.now();
    return new Promise((resolve, reject) => {
      const child = spawn(program, rest, {
        cwd: "/",
        env: plainEnvironment(),
        stdio: ["pipe", "pipe", "pipe"],
        // Ctrl-C in the portal's terminal is for the portal.
        detached: true,
      });
      this.master = child;
      let stdout = "";
      let stderr = "";
      let state: "opening" | "open" | "over" = "opening";
      const settle = (exitCode: number | null, problem?: ClusterProblem) => {
        clearTimeout(timer);
        const end = { exitCode, stdout: "", stderr, durationMs: Date.now() - at };
        record(recorders, words, "connect", at, end);
        if (problem) reject(problem);
        else resolve();
      };
      const fail = (problem: ClusterProblem, exitCode: number | null = null) => {
        state = "over";
        child.kill("SIGKILL");
        settle(exitCode, problem);
      };
      const limitMs = (this.target.connectSeconds ?? 10) * 2_000;
      const timer = setTimeout(() => {
        fail(
          new ClusterProblem("unreachable", `${this.place} did not finish the connection within ${limitMs / 1000} s.`),
        );
      }, limitMs);
      child.stdin?.on("error", () => {});
      child.stdout?.on("data", (chunk: Buffer) => {
        if (state !== "opening") return;
        stdout = (stdout + chunk.toString("utf8")).slice(-10_000);
        if (!stdout.includes(ready)) return;
        state = "open";
        this.isOpen = true;
        settle(0);
      });
      child.stderr?.on("data", (chunk: Buffer) => {
        if (state === "opening") stderr = shorten(stderr + chunk.toString("utf8"));
      });
      child.on("error", (error) => {
        if (state === "opening")
          fail(new ClusterProblem("unreachable", `ssh could not be started here: ${error.message}.`));
      });
      child.on("close", (code) => {
        if (state === "opening") fail(sshProblem(stderr || stdout, this.place, code), code);
        else if (state === "open") this.lose(child);
        state = "over";
      });
    });
  }

  private lose(child: ChildProcess): void {
    if (this.master !== child) return;
    this.opening = undefined;
    this.forget();
    if (this.closed) return;
    for (const listener of [...this.lostListeners]) listener();
  }

  private abandon(): void {
    const { master } = this;
    if (!master) return;
    master.kill("SIGKILL");
    this.lose(master);
  }

  private forget(): void {
    this.isOpen = false;
    this.master = undefined;
    if (this.directory) removeConnectionDirectory(this.directory);
    this.directory = undefined;
  }
}
