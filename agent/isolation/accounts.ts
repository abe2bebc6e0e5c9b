/**
 * Started by root: one unprivileged account for each slot. Only one task at a time runs under it, so whatever process
 * belongs to the account belongs to that task, wherever it has gone since (its own session, a child of init).
 *
 * Ending them all: `kill -9 -1` as that account is the only way that a task forking all the time cannot escape, because the
 * kernel signals all its processes in one go. It costs two programs, more than a short task itself, so it is skipped
 * when there is proof that nothing is left; see {@link isProvenEmpty}.
 */
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Slot } from "../config";
import { highestPid, listProcesses, type Process, readProcess, youngestPid } from "../processes";
import { runProgram } from "../run-program";
import type { Places } from "../task-environment";
import type { Account, Isolation, TaskProcesses } from "./isolation";
import { filesElsewhere, removeLeftovers } from "./leftovers";

/** Beyond this the proof would cost more than the kill. */
const mostPids = 512;

export class AccountsIsolation implements Isolation {
  readonly furniture = [".tmp"];
  readonly mostProcesses = 4096;
  readonly #slots: readonly Slot[];

  constructor(slots: readonly Slot[]) {
    this.#slots = slots;
  }

  async check(): Promise<string | undefined> {
    if (process.getuid?.() !== 0) return "Running tasks under accounts of their own needs an agent started by root.";
    const slot = this.#slots[0];
    if (!slot) return undefined;
    const failure = await runQuietly([...this.words(slot), "true"]);
    if (failure === undefined) return undefined;
    return `Tasks cannot be run under another account: setpriv of util-linux is needed (${failure}).`;
  }

  owner(slot: Slot): Account {
    if (slot.uid === undefined || slot.gid === undefined) throw new Error(`Slot ${slot.number} has no account.`);
    return { uid: slot.uid, gid: slot.gid };
  }

  account(slot: Slot): Account {
    return this.owner(slot);
  }

  places(slot: Slot, directory: string): Places {
    return { directory, temporary: join(directory, ".tmp"), user: `gridloom${slot.number}` };
  }

  words(slot: Slot): string[] {
    const { uid, gid } = this.owner(slot);
    return ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs", "--"];
  }

  members(slot: Slot, _task: TaskProcesses, all: readonly Process[]): Process[] {
    return all.filter((process) => process.uid === slot.uid);
  }

  async strike(slot: Slot): Promise<void> {
    // `kill` answers that it found nobody by failing, which is as good.
    await runQuietly([...this.words(slot), "/bin/sh", "-c", "kill -9 -1"]);
  }

  async clear(slot: Slot, task: TaskProcesses | undefined): Promise<void> {
    const { uid } = this.owner(slot);
    if (!task || !isProvenEmpty(uid, task)) {
      for (let pause = 1; ; pause = Math.min(pause * 2, 200)) {
        await this.strike(slot);
        const left = (await listProcesses()).filter((process) => process.uid === uid);
        if (left.length === 0) break;
        await delay(pause);
      }
    }
    await removeLeftovers(uid, task?.startedAt ?? 0);
  }

  async elsewhere(slot: Slot, task: TaskProcesses): Promise<string[]> {
    return await filesElsewhere(this.owner(slot).uid, task.startedAt);
  }
}

/**
 * How long a task may have run for its process numbers to prove anything: no longer than it takes at least to use up all
 * numbers there are and begin again, when a straggler's would no longer lie where it is looked for. Threads take numbers
 * too; a processor cannot make one in less than some five microseconds, and all together hardly one in two.
 */
export function longestProofMs(pidMax: number, processors: number): number {
  if (!(pidMax >= 8 * mostPids)) return 0;
  return Math.min(5_000, pidMax / Math.max(500, 200 * processors));
}

const proofMs = longestProofMs(highestPid(), cpus().length);

/**
 * True only if no process of this account exists. Process numbers are given out upwards, so what the task started
 * lies between the youngest process before it and the youngest now; look at each of those. If no process at all was
 * born while looking, then one of the account alive now would have been alive, and seen, when its number was looked at.
 * Otherwise look at the newly born ones too, a few times; then give up and let the caller kill.
 */
function isProvenEmpty(uid: number, { before }: TaskProcesses): boolean {
  if (!before) return false;
  let looked = before.youngest;
  let youngest = youngestPid();
  // The task itself took a number: a system that tells none higher does not tell what is needed here.
  if (youngest <= looked || youngest - looked > mostPids) return false;
  for (let round = 0; round < 8; round++) {
    for (let pid = looked + 1; pid <= youngest; pid++) if (readProcess(pid)?.uid === uid) return false;
    looked = youngest;
    youngest = youngestPid();
    if (youngest < looked || performance.now() - before.at > proofMs) return false;
    if (youngest === looked) return true;
  }
  return false;
}

/** Undefined when it succeeded, else what it said. */
async function runQuietly(words: readonly string[]): Promise<string | undefined> {
  const { code, complaint } = await runProgram(words);
  return code === 0 ? undefined : complaint.trim() || `it ended with ${code}`;
}
