/**
 * Turns the reactor's "this agent gets that attempt" into what the agent needs: command, files by hash, limits. The
 * hashes are mostly in memory; the others are looked up in the journal, many attempts at a time, while the reactor
 * goes on. Messages about an attempt keep their order: a cancel does not overtake the assignment it is about.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type AttemptRef, attemptId, type RunId } from "@/core/engine/ids";
import { type Adaptive, type Assignment, assignment, type RestartFile } from "@/core/protocol/agent";
import { type AdaptiveSpec, defaultCheckpointSeconds } from "@/core/workflow/adaptive";
import type { RunTimeValues } from "@/core/workflow/run-time-variables";
import { splitWords } from "@/core/workflow/shell-words";
import type { TaskSpec } from "@/core/workflow/workflow";
import type { FileContent } from "@/server/journal/queries/lookup-inputs";
import type { ActiveRun } from "./active-run";
import { forHost } from "./chosen-hosts";
import type { FileIndex } from "./file-index";
import type { RunSettings } from "./run-settings";

export interface AssignmentPorts {
  run(id: RunId): ActiveRun | undefined;
  files: FileIndex;
  lookup(run: RunId, names: string[]): Promise<Map<string, FileContent>>;
  /** It is not on the branch that was taken, so nobody makes its files. */
  isSkipped(run: RunId, task: number): boolean;
}

export type Prepared =
  | { is: "ready"; assignment: Assignment }
  /** Inputs that nobody provided and nobody made. */
  | { is: "inputs-unknown"; files: string[] }
  /** No agent would take it: a name or a limit is not allowed. Told here, it fails one task and not the messages. */
  | { is: "not-allowed"; problem: string }
  /** The engine let the run go meanwhile. */
  | { is: "run-gone" };

/**
 * An agent reports each end in one message, which a gateway takes up to a limit; a report beyond it could never be
 * delivered, and everything else the agent has to say would wait behind it. So a task may have as many files as fit.
 */
const longestFileList = 4 * 1024 * 1024;
/** What a report says of an output besides its name: hash, size, and the words around them. */
const bytesAFile = 160;

/** What the reactor decided about an attempt. */
export interface Decided {
  /** What a task that may move goes on from, and the hosts its own resource selector may choose among. */
  restart?: RestartFile[];
  hosts?(): string | undefined;
  attempt: AttemptRef;
  epoch: number;
  /** More than the task asks for, because that was too little. */
  memoryBytes?: number;
  /** Of the host that was chosen. */
  values?: RunTimeValues;
}

interface Pending extends Decided {
  run: ActiveRun;
  task: TaskSpec;
  listeners: ((prepared: Prepared) => void)[];
}

export class Assignments {
  private readonly preparing = new Map<string, Pending>();
  private readonly byRun = new Map<RunId, Pending[]>();

  constructor(private readonly ports: AssignmentPorts) {}

  /** Calls back at once if everything is known. */
  prepare(decided: Decided, then: (prepared: Prepared) => void): void {
    const { attempt } = decided;
    const already = this.preparing.get(attemptId(attempt));
    if (already) {
      already.listeners.push(then);
      return;
    }
    const run = this.ports.run(attempt.run);
    if (!run) {
      then({ is: "run-gone" });
      return;
    }
    let task: TaskSpec;
    try {
      task = run.workflow.task(attempt.task);
      task.inputs = this.neededInputs(run, task);
      if (decided.values) task = forHost(task, decided.values);
    } catch (error) {
      then({ is: "not-allowed", problem: error instanceof Error ? error.message : String(error) });
      return;
    }
    const unknown = task.inputs.filter((name) => !this.ports.files.get(run.id, name));
    if (unknown.length === 0) {
      then(this.complete({ ...decided, run, task }, (name) => this.ports.files.get(run.id, name)));
      return;
    }
    this.lookUpLater({ ...decided, run, task, listeners: [then] });
  }

  /** A join does without the files of tasks that were skipped. */
  private neededInputs({ id, workflow }: ActiveRun, { index, inputs }: TaskSpec): string[] {
    if (!workflow.template(index).join) return inputs;
    return inputs.filter((name) => {
      const producer = workflow.producerOf(name);
      return producer < 0 || !this.ports.isSkipped(id, producer);
    });
  }

  /** Runs the action now, or after the attempt's assignment if that is still being prepared. */
  afterAssignment(attempt: AttemptRef, action: () => void): void {
    const pending = this.preparing.get(attemptId(attempt));
    if (pending) pending.listeners.push(action);
    else action();
  }

  private lookUpLater(pending: Pending): void {
    this.preparing.set(attemptId(pending.attempt), pending);
    const others = this.byRun.get(pending.run.id);
    if (others) {
      others.push(pending);
      return;
    }
    this.byRun.set(pending.run.id, [pending]);
    setImmediate(() => void this.lookUp(pending.run.id));
  }

  private async lookUp(run: RunId): Promise<void> {
    const batch = this.byRun.get(run) ?? [];
    this.byRun.delete(run);
    const names = [...new Set(batch.flatMap((pending) => pending.task.inputs))];
    const found = await this.lookUpPatiently(run, names);
    for (const file of found.values()) this.ports.files.set(run, file);
    for (const pending of batch) {
      this.preparing.delete(attemptId(pending.attempt));
      const prepared = this.complete(pending, (name) => found.get(name));
      for (const listener of pending.listeners) listener(prepared);
    }
  }

  /** The journal's writer reports a database that is away; here it is only waited for. */
  private async lookUpPatiently(run: RunId, names: string[]): Promise<Map<string, FileContent>> {
    for (let backoff = 50; ; backoff = Math.min(backoff * 2, 3000)) {
      try {
        return await this.ports.lookup(run, names);
      } catch {
        await sleep(backoff);
      }
    }
  }

  private complete(
    { attempt, epoch, memoryBytes, restart, hosts, run, task }: Omit<Pending, "listeners">,
    contentOf: (name: string) => FileContent | undefined,
  ): Prepared {
    const inputs: Assignment["inputs"] = [];
    const missing: string[] = [];
    for (const name of task.inputs) {
      const content = contentOf(name);
      if (content) inputs.push({ name, sha256: content.sha256, size: content.size, kept: content.transient });
      else missing.push(name);
    }
    if (missing.length > 0) return { is: "inputs-unknown", files: missing };
    for (const [kind, files] of [
      ["input", task.inputs],
      ["output", task.outputs],
    ] as const) {
      if (sizeOfList(files) <= longestFileList) continue;
      return { is: "not-allowed", problem: `${files.length} ${kind} files are more than one task may have` };
    }
    const draft: Assignment = {
      attempt: attemptId(attempt),
      epoch,
      taskName: task.name,
      runName: run.name,
      taskIndex: attempt.task,
      command: isNothing(task) ? { is: "no-op" } : task.command,
      inputs,
      outputs: task.outputs.map((name) => ({ name, transient: run.workflow.isTransient(name) })),
      stdin: task.stdin,
      stdout: task.stdout,
      stderr: task.stderr,
      environment: task.environment ?? [],
      before: scriptWords(task.before, attempt),
      afterwards: scriptWords(task.afterwards, attempt),
      answers: answersOf(run, attempt.task),
      software: task.software,
      adaptive: task.adaptive && adaptiveOf(task.adaptive, restart ?? [], hosts),
      cores: task.resources?.cores,
      limits: { ...limitsOf(task, run.settings), ...(memoryBytes !== undefined && { memoryBytes }) },
    };
    const checked = assignment.safeParse(draft);
    if (checked.success) return { is: "ready", assignment: checked.data };
    const issue = checked.error.issues[0];
    return { is: "not-allowed", problem: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}` };
  }
}

/** `:` is the shell's word for doing nothing (DAGMan's NOOP nodes). Without files and commands around it there is nothing to run. */
function isNothing({ command, inputs, outputs, before, afterwards }: TaskSpec): boolean {
  const isEmpty = command.is === "shell" && command.line.trim() === ":";
  return isEmpty && inputs.length === 0 && outputs.length === 0 && (before ?? afterwards) === undefined;
}

/** What the task asks for, else what every task of the run may have. Nothing can be done with nothing, so 0 asks for nothing. */
function limitsOf({ resources = {} }: TaskSpec, settings: RunSettings): Assignment["limits"] {
  return {
    wallSeconds: resources.wallSeconds || settings.wallSeconds,
    memoryBytes: resources.memoryBytes || settings.memoryBytes,
    outputBytes: resources.diskBytes || settings.outputBytes,
    streamBytes: settings.streamBytes,
  };
}

function answersOf({ workflow }: ActiveRun, task: number): Assignment["answers"] {
  const answers = workflow.answersOf(task);
  return answers.length > 0 ? answers.map(([from, to]) => [from, to]) : undefined;
}

function adaptiveOf(adaptive: AdaptiveSpec, restart: RestartFile[], hosts: Decided["hosts"]): Adaptive {
  const { marker, requirementFile, rankFile, profile, evaluator, selector } = adaptive;
  const words = (text: string | undefined) => {
    const split = text === undefined ? [] : splitWords(text);
    return split.length > 0 ? split : undefined;
  };
  const select = words(selector);
  return {
    restart: adaptive.restart ?? [],
    checkpointSeconds: adaptive.checkpointSeconds ?? defaultCheckpointSeconds,
    ...{ marker, requirementFile, rankFile, profile },
    evaluator: words(evaluator),
    selector: select,
    hosts: select && hosts?.(),
    from: restart,
  };
}

/** DAGMan's variables that have a value only now; `$RETURN` is known when the program has ended. */
function scriptWords(text: string | undefined, attempt: AttemptRef): string[] | undefined {
  if (text === undefined) return undefined;
  const values: Record<string, string> = { JOBID: attemptId(attempt), RETRY: String(attempt.ordinal - 1) };
  const words = splitWords(text);
  if (words.length === 0) return undefined;
  return words.map((word) => word.replace(/\$(JOBID|RETRY)\b/g, (written, name: string) => values[name] ?? written));
}

function sizeOfList(files: readonly string[]): number {
  return files.reduce((sum, name) => sum + Buffer.byteLength(JSON.stringify(name)) + bytesAFile, 0);
}
