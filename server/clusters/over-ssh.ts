/**
 * The runner for a cluster's front end: commands and tunnels over one shared SSH connection.
 *
 * A command travels as quoted words to `/bin/sh` on the other side, whatever the account's login shell is. Marks around the
 * command's output tell it from what the account's start-up files print, and its exit code from ssh's own 255.
 */
import { randomBytes } from "node:crypto";
import { quoteWord } from "@/core/workflow/shell-words";
import { freePort } from "@/server/free-port";
import { ClusterProblem } from "./cluster-problem";
import type { CommandOptions, CommandRecorder, CommandResult, CommandRunner } from "./command-runner";
import { record, stoppedProblem } from "./here";
import { type ProcessEnd, runProcess } from "./run-process";
import { SshConnection, type SshTarget } from "./ssh-connection";
import { sshProblem } from "./ssh-problem";

/** sshd allows ten sessions a connection unless told otherwise; one is the connection's own. */
const sessionsAtATime = 6;

export interface TunnelRequest {
  /** `from-cluster`: the front end listens and the portal's side is reached (ssh -R). `to-cluster`: the other way (ssh -L). */
  direction: "from-cluster" | "to-cluster";
  /** Port 0: any free one. An address other than loopback on the front end needs sshd's `GatewayPorts`. */
  listen: { host?: string; port: number };
  to: { host: string; port: number };
}

export interface Tunnel {
  /** Where it listens. */
  port: number;
  close(): Promise<void>;
}

export interface SshRunner extends CommandRunner {
  /** Opens the connection if it is not, and the tunnel over it. It ends with the connection. */
  openTunnel(request: TunnelRequest): Promise<Tunnel>;
  /** The connection was lost, and with it its tunnels; the next command opens it again. */
  onLost(listener: () => void): () => void;
  recording(recorder: CommandRecorder): SshRunner;
  close(): Promise<void>;
}

/** Connects at the first command, and again after the connection was lost. */
export function sshRunner(
  target: SshTarget,
  options: { recorders?: readonly CommandRecorder[]; directory?: string } = {},
): SshRunner {
  const connection = new SshConnection(target, options.directory);
  return new OverSsh(connection, new Turnstile(sessionsAtATime), options.recorders ?? []);
}

class OverSsh implements SshRunner {
  constructor(
    private readonly connection: SshConnection,
    private readonly turnstile: Turnstile,
    private readonly recorders: readonly CommandRecorder[],
  ) {}

  get place(): string {
    return this.connection.place;
  }

  recording(recorder: CommandRecorder): SshRunner {
    return new OverSsh(this.connection, this.turnstile, [...this.recorders, recorder]);
  }

  onLost(listener: () => void): () => void {
    return this.connection.onLost(listener);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  run(command: readonly string[], options: CommandOptions): Promise<CommandResult> {
    return this.turnstile.pass(() => this.runNow(command, options));
  }

  private async runNow(command: readonly string[], options: CommandOptions): Promise<CommandResult> {
    await this.connection.open(this.recorders);
    const mark = `mark-${randomBytes(8).toString("hex")}`;
    const remote = remoteCommand(command, { mark, timeoutMs: options.timeoutMs });
    const at = Date.now();
    const end = await runProcess(this.connection.clientWords("--", this.connection.host, remote), options);
    const told = readMarks(end, mark);
    record(this.recorders, command, options.purpose, at, told.end);
    if (end.stopped) throw stoppedProblem(end.stopped, command, this.place);
    if (!told.complete) throw sshProblem(told.end.stderr, this.place, end.exitCode);
    const { exitCode, stdout, stderr, durationMs } = told.end;
    return { exitCode, stdout, stderr, durationMs };
  }

  async openTunnel({ direction, listen, to }: TunnelRequest): Promise<Tunnel> {
    await this.connection.open(this.recorders);
    const flag = direction === "from-cluster" ? "-R" : "-L";
    // Only the far end can be asked for any free port.
    const port = listen.port === 0 && direction === "to-cluster" ? await freePort() : listen.port;
    const spec = (at: number) => `${bracketed(listen.host ?? "127.0.0.1")}:${at}:${bracketed(to.host)}:${to.port}`;
    const opened = await this.control("forward", flag, spec(port));
    const given = port === 0 ? Number(opened.stdout.trim()) : port;
    if (!Number.isInteger(given) || given < 1 || given > 65_535) {
      throw new ClusterProblem("unreadable", `${this.place} opened a tunnel and did not say on which port.`);
    }
    return {
      port: given,
      close: async () => {
        await this.control("cancel", flag, spec(port)).catch((error: unknown) => {
          // Without the connection there is no tunnel either.
          if (!(error instanceof ClusterProblem)) throw error;
        });
      },
    };
  }

  private async control(action: "forward" | "cancel", flag: "-R" | "-L", spec: string): Promise<ProcessEnd> {
    const words = this.connection.clientWords("-O", action, flag, spec, "--", this.connection.host);
    const at = Date.now();
    const end = await runProcess(words, { timeoutMs: 15_000 });
    record(this.recorders, words, `${action === "forward" ? "open" : "close"} tunnel`, at, end);
    if (end.stopped) throw stoppedProblem(end.stopped, ["ssh"], this.place);
    if (end.exitCode !== 0) {
      const said = end.stderr.trim().split("\n").at(-1) ?? "";
      throw new ClusterProblem(
        "refused",
        `${this.place} refuses the tunnel ${spec}: ${said} Check AllowTcpForwarding of its sshd.`,
      );
    }
    return end;
  }
}

/** Puts the words into one line for the login shell. `timeout`, where there is one, ends the command on the far side too. */
export function remoteCommand(
  command: readonly string[],
  { mark, timeoutMs }: { mark: string; timeoutMs: number },
): string {
  const script =
    'mark=$1 limit=$2; shift 2; echo "$mark"; ' +
    'if command -v timeout >/dev/null 2>&1; then timeout -k 5 "$limit" "$@"; else "$@"; fi; ' +
    'code=$?; echo >&2; echo "$mark $code" >&2; exit "$code"';
  const limit = String(Math.ceil(timeoutMs / 1000) + 2);
  return ["exec", "/bin/sh", "-c", `'${script}'`, "sh", mark, limit, ...command.map(quoteWord)].join(" ");
}

/** Takes the marks out again. Not complete: the command did not run to its end, or we were not told. */
export function readMarks(end: ProcessEnd, mark: string): { complete: boolean; end: ProcessEnd } {
  const begin = `${mark}\n`;
  const from = end.stdout.indexOf(begin);
  const stdout = from === -1 ? "" : end.stdout.slice(from + begin.length);
  const tail = new RegExp(`\\n?${mark} (\\d+)\\n[\\s\\S]*$`).exec(end.stderr);
  if (from === -1 || !tail) return { complete: false, end: { ...end, stdout, exitCode: null } };
  return {
    complete: true,
    end: { ...end, stdout, stderr: end.stderr.slice(0, tail.index), exitCode: Number(tail[1]) },
  };
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** At most so many at a time, in the order they came. */
class Turnstile {
  private inside = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  async pass<T>(action: () => Promise<T>): Promise<T> {
    if (this.inside >= this.most) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.inside++;
    try {
      return await action();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.inside--;
    }
  }
}
