/**
 * What the agent knows of its attempts, in files, so that a restarted agent knows it too. One directory an attempt:
 *
 *   assignment.json   what to do                              written by the agent when it is assigned
 *   placement.json    slot, its shim's process, when          written by the agent before the shim is told to start
 *   started           the program was started (empty)         written by the shim
 *   stdout, stderr    the program's output                    opened by the shim
 *   verdict.json      why the agent ended it, if it did       written by the agent before it kills
 *   exit              `exit N`, a complete line               written by the shim, also when no agent is alive
 *   outputs/          the declared outputs, by number         copied there when the program has ended
 *   collected.json    its success, if there are outputs       written by the agent before the slot is used again
 *
 * The outcome itself goes to the outcome journal, which is what is synced to disk before anything is reported.
 * These files need no sync of their own: they survive the death of the agent because the kernel holds them, and
 * a machine that loses power has also lost the task. An assignment that was torn by that is dropped; the
 * engine sees it missing in the inventory and sends it again.
 *
 * An attempt's directory exists until its outcome is acknowledged.
 */
import {
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import {
  type AgentOutcome,
  type Assignment,
  assignment as assignmentSchema,
  outcome as outcomeSchema,
} from "@/core/protocol/agent";
import { emptySmallTree, removeSmallTree } from "./remove-tree";

const placementSchema = z.object({
  slot: z.number().int(),
  /** The shim's process: a number alone may belong to somebody else later. */
  shim: z.object({ pid: z.number().int(), start: z.string() }),
  /** By the agent's clock, when the shim was told to start. */
  at: z.number(),
  /** Bytes of staged inputs, which do not count as output. */
  stagedBytes: z.number(),
});
export type Placement = z.infer<typeof placementSchema>;

const verdictSchema = z.union([
  z.object({ is: z.literal("cancelled") }),
  z.object({
    is: z.literal("failed"),
    reason: z.enum(["time-limit", "memory-limit", "output-limit"]),
    detail: z.string(),
  }),
]);
/** Why the agent ended a task itself. */
export type Verdict = z.infer<typeof verdictSchema>;

export interface SpooledAttempt {
  assignment: Assignment;
  placement: Placement | undefined;
  verdict: Verdict | undefined;
  collected: AgentOutcome | undefined;
}

export interface Exit {
  status: number;
  at: number;
}

const mostSpare = 64;

export class Spool {
  readonly #directory: string;
  /** Emptied directories: giving one a new name costs a tenth of removing it and making another. */
  readonly #spareDirectory: string;
  readonly #spare: string[] = [];
  #names = 0;

  constructor(directory: string) {
    this.#directory = directory;
    this.#spareDirectory = `${directory}-spare`;
    rmSync(this.#spareDirectory, { recursive: true, force: true });
    for (const needed of [directory, this.#spareDirectory]) mkdirSync(needed, { recursive: true, mode: 0o700 });
  }

  directoryOf(attempt: string): string {
    return join(this.#directory, attempt);
  }

  /** Leaves nothing behind when it throws (a full disk): the assignment will be repeated. */
  admit(assignment: Assignment): void {
    const directory = this.directoryOf(assignment.attempt);
    // Remains of a try that could not even be cleared away.
    rmSync(directory, { recursive: true, force: true });
    const spare = this.#spare.pop();
    if (spare) renameSync(spare, directory);
    else mkdirSync(directory, { mode: 0o700 });
    try {
      this.#write(assignment.attempt, "assignment.json", JSON.stringify(assignment));
    } catch (error) {
      removeSmallTree(directory);
      throw error;
    }
  }

  /** The task's output streams belong to the task's account, so that it may open /dev/stdout; their directory does not. */
  openStreams(attempt: string, owner: { uid: number; gid: number } | undefined): void {
    for (const stream of ["stdout", "stderr"]) {
      const path = join(this.directoryOf(attempt), stream);
      closeSync(openSync(path, "w", 0o600));
      if (owner) chownSync(path, owner.uid, owner.gid);
    }
  }

  place(attempt: string, placement: Placement): void {
    this.#write(attempt, "placement.json", JSON.stringify(placement));
  }

  /** Back to the queue: it was placed, but never started. */
  unplace(attempt: string): void {
    rmSync(join(this.directoryOf(attempt), "placement.json"), { force: true });
  }

  judge(attempt: string, verdict: Verdict): void {
    this.#write(attempt, "verdict.json", JSON.stringify(verdict));
  }

  /** From here on the attempt has no more business in its slot. */
  collect(attempt: string, outcome: AgentOutcome): void {
    this.#write(attempt, "collected.json", JSON.stringify(outcome));
  }

  outputsOf(attempt: string): string {
    return join(this.directoryOf(attempt), "outputs");
  }

  hasStarted(attempt: string): boolean {
    return statSync(join(this.directoryOf(attempt), "started"), { throwIfNoEntry: false }) !== undefined;
  }

  /** The exit status, once its line is complete. */
  exitOf(attempt: string): Exit | undefined {
    const path = join(this.directoryOf(attempt), "exit");
    const found = statSync(path, { throwIfNoEntry: false });
    const line = found && /^exit (\d{1,3})\n$/.exec(readFileSync(path, "utf8"));
    return line ? { status: Number(line[1]), at: found.mtimeMs } : undefined;
  }

  remove(attempt: string): void {
    const directory = this.directoryOf(attempt);
    if (this.#spare.length >= mostSpare) {
      removeSmallTree(directory);
      return;
    }
    emptySmallTree(directory);
    const spare = join(this.#spareDirectory, String(++this.#names));
    renameSync(directory, spare);
    this.#spare.push(spare);
  }

  /** Everything spooled; what a power failure tore is removed. */
  recall(): SpooledAttempt[] {
    const attempts: SpooledAttempt[] = [];
    for (const name of readdirSync(this.#directory)) {
      const assignment = this.#read(name, "assignment.json", assignmentSchema);
      if (!assignment || assignment.attempt !== name) {
        this.remove(name);
        continue;
      }
      attempts.push({
        assignment,
        placement: this.#read(name, "placement.json", placementSchema),
        verdict: this.#read(name, "verdict.json", verdictSchema),
        collected: this.#read(name, "collected.json", outcomeSchema),
      });
    }
    return attempts;
  }

  #write(attempt: string, name: string, content: string): void {
    writeFileSync(join(this.directoryOf(attempt), name), content, { mode: 0o600 });
  }

  #read<T>(attempt: string, name: string, schema: z.ZodType<T>): T | undefined {
    let content: unknown;
    try {
      content = JSON.parse(readFileSync(join(this.directoryOf(attempt), name), "utf8"));
    } catch {
      return undefined;
    }
    const parsed = schema.safeParse(content);
    return parsed.success ? parsed.data : undefined;
  }
}
