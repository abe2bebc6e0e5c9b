/**
 * A submit description for one node → its tasks: macros filled in, conditions decided, one group for each `queue`. A
 * `queue N` stays folded: $(Process) becomes the variable of a loop.
 */

import { hole } from "@/core/languages/literals";
import type { Loop, TaskGroup } from "@/core/workflow/application";
import type { NodeContext, Setting } from "./context";
import type { Condition, Items, Submit, SubmitStatement } from "./file";
import { expandMacros } from "./macros";
import type { Place, Reports } from "./source";
import { TaskMaker } from "./task-maker";

/** The loop variable a `queue N` gives. */
export const processVariable = "Process";
const maxTasks = 10_000_000;
/** A task that differs in more than its texts cannot stay folded; more than this are refused. */
const maxUnfolded = 20_000;

export class SubmitEvaluation {
  readonly #submit: Submit;
  readonly #context: NodeContext;
  readonly #reports: Reports;
  readonly #settings = new Map<string, Setting>();
  #groups: TaskGroup[] = [];
  #processes = 0;
  #queued = false;

  constructor(submit: Submit, context: NodeContext, reports: Reports) {
    this.#submit = submit;
    this.#context = context;
    this.#reports = reports;
  }

  /** The node's groups of tasks; those of several tasks are named after the node with `.0`, `.1`, … */
  groups(): TaskGroup[] {
    for (const { name, value, append, place } of this.#context.variables) if (!append) this.#set(name, value, place);
    this.#run(this.#submit.statements);
    if (!this.#queued) this.#queue("1", undefined, this.#context.place);
    const [first, ...others] = this.#groups;
    const single = others.length === 0 && first && this.#processes === 1;
    if (single) first.task.name = [{ text: this.#context.name, quoted: true }];
    return this.#groups;
  }

  /** How many tasks the node has. */
  get taskCount(): number {
    return this.#processes;
  }

  #run(statements: readonly SubmitStatement[]): void {
    for (const statement of statements) {
      if (this.#reports.isFull) return;
      if (statement.is === "set") this.#set(statement.key, statement.value, statement.place);
      else if (statement.is === "queue") this.#queue(statement.count, statement.items, statement.place);
      else {
        const chosen = statement.branches.find(({ condition }) => !condition || this.#holds(condition));
        if (chosen) this.#run(chosen.body);
      }
    }
  }

  #set(key: string, value: string, place: Place): void {
    const name = key.toLowerCase();
    const before = this.#settings.get(name)?.value ?? "";
    // `x = $(x) more` means the value it had so far.
    const self = new RegExp(`\\$\\(\\s*${name.replace(/[^\w]/g, "\\$&")}\\s*(?::[^()$]*)?\\)`, "gi");
    const own = value.includes("$(") ? value.replace(self, () => before) : value;
    if (own.length > 1_000_000) {
      this.#reports.errorOnce(`long:${name}`, "too-long", `The value of "${key}" grows beyond all bounds.`, place);
      return;
    }
    this.#settings.set(name, { key, value: own, place });
  }

  #holds({ text, place }: Condition): boolean {
    const negated = text.startsWith("!");
    const condition = negated ? text.slice(1).trim() : text;
    const defined = /^defined\s+(\S+)$/i.exec(condition);
    if (defined) return this.#settings.has(defined[1]!.toLowerCase()) !== negated;
    const value = this.#expand(condition, place, false)?.trim() ?? "";
    if (/^(?:true|yes|[1-9]\d*)$/i.test(value)) return !negated;
    if (/^(?:false|no|0)$/i.test(value)) return negated;
    const message =
      "Only `defined NAME`, true, false and numbers are understood as conditions here; this is taken as false.";
    this.#reports.warnOnce(`if:${place.source.prefix(place.start)}${place.start}`, "condition", message, place);
    return false;
  }

  #queue(countText: string, items: Items | undefined, place: Place): void {
    this.#queued = true;
    const count = Number(this.#expand(countText, place, false) ?? "0");
    if (!Number.isSafeInteger(count) || count < 0) {
      this.#reports.error("bad-queue", `How many tasks to queue is a number; "${countText}" gives none.`, place);
      return;
    }
    for (const variable of this.#context.variables) {
      if (variable.append) this.#set(variable.name, variable.value, variable.place);
    }
    if (!items) {
      this.#add(count, place);
      return;
    }
    for (const item of items.values) {
      if (this.#reports.isFull) return;
      setItem(items.variables, item, (name, value) => this.#set(name, value, place));
      this.#add(count, place);
    }
  }

  #add(count: number, place: Place): void {
    if (this.#processes + count > maxTasks) {
      const message = `A node cannot have more than ${maxTasks} tasks.`;
      this.#reports.errorOnce(`many:${this.#context.name}`, "too-many-tasks", message, place);
      return;
    }
    const first = this.#processes;
    this.#processes += count;
    if (count === 0) return;
    if (count === 1) {
      this.#push([], String(first));
      return;
    }
    const folded = this.#make(hole);
    if (!folded) return;
    if (!folded.mustUnfold) {
      const loop: Loop = { variable: processVariable, values: { from: first, to: first + count - 1, step: 1 } };
      const variable = { variable: processVariable, quoted: true };
      folded.task.name = [{ text: `${this.#context.name}.`, quoted: true }, variable];
      this.#groups.push({ loops: [loop], task: folded.task });
    } else if (count > maxUnfolded) {
      const message = `$(Process) stands where it cannot for more than ${maxUnfolded} tasks: in a requirement, a rank or a number.`;
      this.#reports.error("too-many-tasks", message, place);
    } else for (let process = first; process < first + count; process++) this.#push([], String(process));
  }

  #push(loops: Loop[], process: string): void {
    const made = this.#make(process);
    if (!made) return;
    made.task.name = [{ text: `${this.#context.name}.${process}`, quoted: true }];
    this.#groups.push({ loops, task: made.task });
  }

  #make(process: string) {
    const maker = new TaskMaker(this.#settings, this.#submit.mentioned, this.#context, this.#reports, (text, place) =>
      this.#expand(text, place, true, process),
    );
    return maker.make();
  }

  /** The text with its macros filled in; nothing if that never ends. */
  #expand(text: string, place: Place, tell: boolean, process = "0"): string | undefined {
    const { source, start } = place;
    const key = `${source.prefix(start)}${start}`;
    return expandMacros(text, (name) => this.#valueOf(name, process, place), {
      undefinedMacro: (name) => {
        if (!tell) return;
        const message = `Nothing gives $(${name}) a value, so it is empty.`;
        this.#reports.warnOnce(`macro:${key}:${name}`, "undefined-macro", message, place);
      },
      unsupported: (macro) => {
        const message = `${macro} means something to HTCondor only; here it stays as it is.`;
        this.#reports.warnOnce(`macro:${key}:${macro}`, "not-kept", message, place);
      },
      endless: (name) => {
        const message = `$(${name}) refers to itself, or grows beyond all bounds.`;
        this.#reports.errorOnce(`endless:${key}`, "endless-macro", message, place);
      },
    });
  }

  #valueOf(name: string, process: string, place: Place): string | undefined {
    switch (name.toLowerCase()) {
      case "process":
      case "procid":
      case "step":
        return process;
      case "cluster":
      case "clusterid":
        return String(this.#context.cluster);
      case "job":
        return this.#context.name;
      case "retry":
      case "failed_count":
      case "dag_status": {
        const message = `$(${name}) is known only while a DAG runs under DAGMan; here it is 0.`;
        this.#reports.warnOnce(`runtime:${name}`, "not-kept", message, place);
        return "0";
      }
      default:
        return this.#settings.get(name.toLowerCase())?.value;
    }
  }
}

/** With several variables an item is split at commas, or at blanks if it has none; the last takes the rest. */
function setItem(variables: readonly string[], item: string, set: (name: string, value: string) => void): void {
  let rest = item;
  variables.forEach((name, i) => {
    const separator = i < variables.length - 1 ? (/\s*,\s*/.exec(rest) ?? /\s+/.exec(rest)) : null;
    set(name, separator ? rest.slice(0, separator.index) : rest);
    rest = separator ? rest.slice(separator.index + separator[0].length) : "";
  });
}
