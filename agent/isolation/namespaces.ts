/**
 * Started by an ordinary user on a machine that allows user namespaces: each task sees its own processes, its own
 * /tmp and its own directory, and of the user's files what is not hidden. See core/protocol/namespaces.ts.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { namespaceTaskDirectory, namespaceTemporary, namespaceWords } from "@/core/protocol/namespaces";
import type { Slot } from "../config";
import type { Process } from "../processes";
import { type Places, plainEnvironment } from "../task-environment";
import type { Isolation, TaskProcesses } from "./isolation";
import { clearMarked, descendantsOfShim, strikeMarked } from "./marked-processes";

export class NamespacesIsolation implements Isolation {
  readonly furniture = [namespaceTemporary, join(namespaceTemporary, "task")];
  /** The account is the user's own: whatever else they run would count against the task, and the task against them. */
  readonly mostProcesses = undefined;
  readonly #words: string[];
  readonly #slotsDirectory: string;

  constructor(script: string, hide: readonly string[], slotsDirectory: string) {
    this.#words = namespaceWords({ script, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, hide });
    this.#slotsDirectory = slotsDirectory;
  }

  async check(): Promise<string | undefined> {
    const directory = mkdtempSync(join(this.#slotsDirectory, "try-"));
    for (const name of this.furniture) mkdirSync(join(directory, name));
    const [program = "", ...rest] = this.#words;
    const tried = spawnSync(program, [...rest, "true"], {
      cwd: directory,
      env: plainEnvironment,
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8",
      timeout: 10_000,
    });
    rmSync(directory, { recursive: true, force: true });
    if (tried.status === 0) return undefined;
    const said = tried.error?.message ?? tried.stderr.trim();
    return `Tasks cannot be shut into namespaces here: ${said || `the try ended with ${tried.status}`}.`;
  }

  owner(): undefined {
    return undefined;
  }

  account(): undefined {
    return undefined;
  }

  places(): Places {
    return { directory: namespaceTaskDirectory, temporary: "/tmp", user: "gridloom" };
  }

  words(): string[] {
    return this.#words;
  }

  members(_slot: Slot, task: TaskProcesses, all: readonly Process[]): Process[] {
    return descendantsOfShim(task, all);
  }

  /** Its /tmp is in its directory, and everything else it can only read. */
  async elsewhere(): Promise<string[]> {
    return [];
  }

  async strike(_slot: Slot, task: TaskProcesses): Promise<void> {
    await strikeMarked(task);
  }

  /** The kernel ended everything in the PID namespace with its first process; only who was killed from outside may linger. */
  async clear(_slot: Slot, task: TaskProcesses | undefined): Promise<void> {
    if (task && (task.status === undefined || task.status > 124)) await clearMarked(task);
  }
}
