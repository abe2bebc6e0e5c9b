/**
 * What the agent knows of its attempts, in files, so that a restarted agent knows it too. One directory an attempt:
 *
 *   assignment.json   what to do                              written by the agent when it is assigned
 *   placement.json    slot, its shim's process, when          written by the agent before the shim is told to start
 *   started           `started ATTEMPT`                       written by the shim
 *   stdout, stderr    the program's output                    opened by the shim; the same file as in the task's
 *                                                             directory if the workflow wants it in one
 *   around            output of commands around the program   opened by the shim
 *   verdict.json      why the agent ended it, if it did       written by the agent before it kills
 *   decided           whose status that is, if not its own    written by the shim
 *   exit              `exit ATTEMPT N`, a complete line       written by the shim, also when no agent is alive
 *   outputs/          the declared outputs, by number         copied there when the program has ended
 *   collected.json    its success, if there are outputs       written by the agent before the slot is used again
 *
 * The outcome itself goes to the outcome journal, which is what is synced to disk before anything is reported.
 * These files need no sync of their own: they survive the death of the agent because the kernel holds them, and
 * a machine that loses power has also lost the task. An assignment that was torn by that is dropped; the
 * engine sees it missing in the inventory and sends it again.
 *
 * An attempt's directory exists until its outcome is acknowledged. Then it is kept with its files for another attempt: a
 * file system may take milliseconds to make a file while many were removed not long ago (ext4 passes over their numbers
 * one by one), or to empty one (ext4 then hurries to write it out), and tens of microseconds to write over what is there.
 * So each file says in its first line whose it is; what follows an earlier attempt has left. Files of output streams, which a task may have handed to another, serve again only
 * within a run: the run's owner is the only one who could look into their own output, or add to it.
 */
import {
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
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
import { removeSmallTree } from "./remove-tree";

const placementSchema = z.object({
  slot: z.number().int(),
  /** The shim's process: a number alone may belong to somebody else later. */
  shim: z.object({ pid: z.number().int(), start: z.string() }),
  attempt: z.string(),
  /** By the agent's clock, when the shim was told to start. */
  at: z.number(),
  /** Bytes of staged inputs, which do not count as output. */
  stagedBytes: z.number(),
});
export type Placement = Omit<z.infer<typeof placementSchema>, "attempt">;

const verdictSchema = z.union([
  z.object({ is: z.literal("cancelled"), reason: z.enum(["moved-wall-time", "moved-selected"]).optional() }),
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

const mostSpare = 512;
/** Files that stay in a directory for its next attempt. */
const keptFiles = new Set(["assignment.json", "placement.json", "started", "exit"]);
const streamFiles = new Set(["stdout", "stderr"]);
const mostSaid = 1000;

export class Spool {
  readonly #directory: string;
  /** Directories that no attempt has, by the run whose streams are still in them. */
  readonly #spareDirectory: string;
  readonly #spare = new Map<string, string[]>();
  #spareCount = 0;
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
    const spare = this.#takeSpare(runOf(assignment.attempt));
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
  openStreams(attempt: string, names: readonly string[], owner: { uid: number; gid: number } | undefined): void {
    for (const name of names) {
      const path = this.streamOf(attempt, name);
      const found = statSync(path, { throwIfNoEntry: false });
      if (!found || found.size > 0) closeSync(openSync(path, "w", 0o600));
      if (owner && found?.uid !== owner.uid) chownSync(path, owner.uid, owner.gid);
    }
  }

  /** A spare directory, if there is one; with files of streams only if they are of the same run. */
  #takeSpare(run: string): string | undefined {
    for (const key of [run, this.#spare.keys().next().value]) {
      const spares = key === undefined ? undefined : this.#spare.get(key);
      const spare = spares?.pop();
      if (spares?.length === 0) this.#spare.delete(key ?? "");
      if (spare === undefined) continue;
      this.#spareCount--;
      if (key !== run) for (const name of streamFiles) rmSync(join(spare, name), { force: true });
      return spare;
    }
    return undefined;
  }

  streamOf(attempt: string, name: string): string {
    return join(this.directoryOf(attempt), name);
  }

  place(attempt: string, placement: Placement): void {
    this.#write(attempt, "placement.json", JSON.stringify({ attempt, ...placement }));
  }

  /** Back to the queue: it was placed, but never started. */
  unplace(attempt: string): void {
    this.#write(attempt, "placement.json", "");
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
    const path = join(this.directoryOf(attempt), "started");
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && readFileSync(path, "utf8").startsWith(`started ${attempt}\n`);
  }

  /** The exit status, once its line is complete. */
  exitOf(attempt: string): Exit | undefined {
    const path = join(this.directoryOf(attempt), "exit");
    const found = statSync(path, { throwIfNoEntry: false });
    const line = found && /^exit (\S+) (\d{1,3})\n/.exec(readFileSync(path, "utf8"));
    return found && line?.[1] === attempt ? { status: Number(line[2]), at: found.mtimeMs } : undefined;
  }

  /** Whose exit status it is, if a command around the program decided; `program`: the program's own. */
  decidedBy(attempt: string): { by: "before" } | { by: "after"; program: number } | undefined {
    const path = join(this.directoryOf(attempt), "decided");
    if (!statSync(path, { throwIfNoEntry: false })) return undefined;
    const line = /^(?:before|after (\d{1,3}))\n$/.exec(readFileSync(path, "utf8"));
    if (!line) return undefined;
    return line[1] === undefined ? { by: "before" } : { by: "after", program: Number(line[1]) };
  }

  /** The end of what the commands around the program printed. */
  saidAround(attempt: string): string {
    const path = this.streamOf(attempt, "around");
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0) return "";
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(Math.min(size, mostSaid));
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, size - bytes.length)).toString("utf8");
    } finally {
      closeSync(file);
    }
  }

  remove(attempt: string): void {
    const directory = this.directoryOf(attempt);
    if (this.#spareCount >= mostSpare) {
      removeSmallTree(directory);
      return;
    }
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) removeSmallTree(path);
      else if (!keptFiles.has(entry.name) && !(streamFiles.has(entry.name) && isEmptied(path))) unlinkSync(path);
    }
    const spare = join(this.#spareDirectory, String(++this.#names));
    renameSync(directory, spare);
    const run = runOf(attempt);
    const spares = this.#spare.get(run);
    if (spares) spares.push(spare);
    else this.#spare.set(run, [spare]);
    this.#spareCount++;
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
        placement: this.#placementOf(name),
        verdict: this.#read(name, "verdict.json", verdictSchema),
        collected: this.#read(name, "collected.json", outcomeSchema),
      });
    }
    return attempts;
  }

  #placementOf(id: string): Placement | undefined {
    const found = this.#read(id, "placement.json", placementSchema);
    if (found?.attempt !== id) return undefined;
    const { attempt: _, ...placement } = found;
    return placement;
  }

  #write(attempt: string, name: string, content: string): void {
    const file = openSync(join(this.directoryOf(attempt), name), constants.O_WRONLY | constants.O_CREAT, 0o600);
    try {
      writeFileSync(file, `${content}\n`);
    } finally {
      closeSync(file);
    }
  }

  #read<T>(attempt: string, name: string, schema: z.ZodType<T>): T | undefined {
    let content: unknown;
    try {
      const [line = ""] = readFileSync(join(this.directoryOf(attempt), name), "utf8").split("\n", 1);
      content = JSON.parse(line);
    } catch {
      return undefined;
    }
    const parsed = schema.safeParse(content);
    return parsed.success ? parsed.data : undefined;
  }
}

function runOf(attempt: string): string {
  return attempt.slice(0, attempt.indexOf("."));
}

/** Not if it has another name, in a task's directory: then it is the task's. */
function isEmptied(path: string): boolean {
  const { size, nlink } = statSync(path);
  if (nlink > 1) return false;
  if (size > 0) truncateSync(path);
  return true;
}
