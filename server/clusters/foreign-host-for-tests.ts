/**
 * A host that is not the portal's, as far as one machine allows: an ordinary account with a home of its own, a shell that reads its
 * script from standard input, and on request no Node, or another network.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface HostOptions {
  /** Hidden from it, so that it must fetch what it needs. */
  without?: readonly string[];
  /** A network namespace. */
  network?: string;
  shell?: string;
}

const uid = 61_490;

export class ForeignHost {
  readonly home: string;
  log = "";
  readonly #options: HostOptions;
  readonly #children: ChildProcess[] = [];

  constructor(options: HostOptions = {}) {
    this.#options = options;
    this.home = mkdtempSync(join(tmpdir(), "gridloom-host-"));
    chmodSync(this.home, 0o700);
    chownSync(this.home, uid, uid);
  }

  /** Gives the script to a shell; resolves with the exit code when it ends. */
  run(script: string): { child: ChildProcess; ended: Promise<number | null> } {
    const { without = [], network, shell = "dash" } = this.#options;
    const hidden = without.filter((path) => existsSync(path));
    const hide = hidden.map((path) => `mount --bind /dev/null '${path}' && `).join("");
    const inside = `${hide}exec setpriv --reuid=${uid} --regid=${uid} --clear-groups env -i HOME='${this.home}' PATH=/usr/bin:/bin ${shell} -s`;
    const words = ["unshare", "--mount", "sh", "-c", inside];
    if (network !== undefined) words.unshift("ip", "netns", "exec", network);
    const [program = "", ...rest] = words;
    const child = spawn(program, rest, { stdio: ["pipe", "pipe", "pipe"], cwd: "/" });
    this.#children.push(child);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.log += text;
      });
    }
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    child.stdin.on("error", () => undefined).end(script);
    return { child, ended };
  }

  /** Names of what lies in a directory of the home. */
  list(path: string): string[] {
    const directory = join(this.home, path);
    return existsSync(directory) ? readdirSync(directory).sort() : [];
  }

  makeDirectory(path: string): string {
    const directory = join(this.home, path);
    mkdirSync(directory, { recursive: true });
    chownSync(directory, uid, uid);
    return directory;
  }

  async remove(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
      await gone;
      clearTimeout(timer);
    }
    spawnSync("chmod", ["-R", "u+rwx", this.home]);
    rmSync(this.home, { recursive: true, force: true });
  }
}

export const nodePlaces = [
  "/usr/bin/node",
  "/bin/node",
  "/usr/bin/nodejs",
  "/usr/local/bin/node",
  "/usr/local/bin/nodejs",
];
