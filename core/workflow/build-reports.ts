/** What can be wrong with an application as a whole, in words: which task, which file, and where. */
import type { Problem, Span } from "@/core/problem";
import type { ProblemList } from "@/core/problem-list";
import type { GraphHint } from "./application";
import type { InferenceReports } from "./infer";
import type { TaskNumbering } from "./numbering";
import { taskName } from "./tasks";
import type { ExternalInput } from "./workflow";

/** Enough to see what is wrong with a line; the rest follows from the same cause. */
const maxPerPlace = 5;

export class BuildReports implements InferenceReports {
  readonly #numbering: TaskNumbering;
  readonly #problems: ProblemList;
  /** What was told with a code for a place: a loop comes by the same line a million times. */
  readonly #told = new Map<string, Set<string>>();

  constructor(numbering: TaskNumbering, problems: ProblemList) {
    this.#numbering = numbering;
    this.#problems = problems;
  }

  duplicateName(name: string, first: number, second: number): void {
    const message = `Two tasks are called "${shorten(name)}": the other one is ${this.#where(first, second)}.`;
    this.#error("workflow/duplicate-name", message, second);
  }

  refused(task: number, role: "input" | "output", name: string, reason: string): void {
    const message = `The ${role} "${shorten(name)}" of task "${this.#name(task)}" ${reason}.`;
    this.#error("workflow/bad-file-name", message, task);
  }

  twoProducers(file: string, first: number, second: number): void {
    const message = `Two tasks write "${shorten(file)}": "${this.#name(first)}" (${this.#where(first, second)}) and "${this.#name(second)}". Each file has one producer.`;
    this.#error("workflow/two-producers", message, second);
  }

  readsOwnOutput(file: string, task: number): void {
    const message = `Task "${this.#name(task)}" reads "${shorten(file)}", which it writes itself; give the result another name.`;
    this.#error("workflow/cycle", message, task);
  }

  hidesOutput(source: string, name: string, task: number, producer: number): void {
    const message = `The input "${shorten(source)}" of task "${this.#name(task)}" would be staged as "${shorten(name)}", but task "${this.#name(producer)}" writes a file of that name.`;
    this.#error("workflow/same-destination", message, task);
  }

  sameDestination(name: string, first: ExternalInput, source: string, task: number): void {
    const message = `Two different files would be staged as "${shorten(name)}": "${shorten(first.source)}" for task "${this.#name(first.neededBy)}" and "${shorten(source)}" for task "${this.#name(task)}".`;
    this.#error("workflow/same-destination", message, task);
  }

  tooMany(limit: number): void {
    const message = `The tasks name more than ${limit.toLocaleString("en")} files, which is the limit.`;
    this.#error("workflow/too-many-files", message, 0);
  }

  cycle(tasks: readonly number[]): void {
    const names = tasks.map((task) => this.#name(task));
    const shown = names.length > 12 ? [...names.slice(0, 11), "…", names.at(-1)!] : names;
    const message = `These tasks wait for each other in a circle: ${[...shown, names[0]!].join(" → ")}.`;
    this.#error("workflow/cycle", message, tasks[0]!);
  }

  unknownTask(name: string, at: Span | undefined): void {
    const message = `There is no task called "${shorten(name)}".`;
    this.#tell({ severity: "error", code: "workflow/unknown-task", message, at });
  }

  waitsForItself(task: number, at: Span | undefined): void {
    const name = this.#name(task);
    this.#tell({
      severity: "error",
      code: "workflow/cycle",
      message: `Task "${name}" waits for itself.`,
      at,
      task: name,
    });
  }

  wrongHint(hint: GraphHint, found: GraphHint, at: Span | undefined): void {
    const message = `The graph is called ${hint}, but it is ${found}.`;
    this.#tell({ severity: "warning", code: "workflow/wrong-hint", message, at });
  }

  transientWithoutProducer(file: string, at: Span | undefined): void {
    const message = `"${shorten(file)}" is called transient, but no task writes it.`;
    this.#tell({ severity: "warning", code: "workflow/transient-without-producer", message, at });
  }

  undeclaredFile(argument: string, task: number): void {
    const message = `The argument "${shorten(argument)}" of task "${this.#name(task)}" looks like a file, but it is not declared with -i; it will not be there when the task runs.`;
    this.#tell(this.#of(task, { severity: "warning", code: "workflow/undeclared-file", message }));
  }

  #error(code: string, message: string, task: number): void {
    this.#tell(this.#of(task, { severity: "error", code, message }));
  }

  #of(task: number, problem: Problem): Problem {
    return { ...problem, at: this.#place(task), task: this.#name(task) };
  }

  #tell(problem: Problem): void {
    const place = problem.at ? `${problem.at.line}:${problem.at.column}` : "";
    const key = `${problem.code} ${place}`;
    const told = this.#told.get(key) ?? new Set();
    this.#told.set(key, told);
    // A guess is told once; the other turns of the loop would only repeat it. So would a file that is named twice.
    if (told.size >= (problem.severity === "warning" ? 1 : maxPerPlace) || told.has(problem.message)) return;
    told.add(problem.message);
    this.#problems.add(problem);
  }

  /** Where the first of two tasks is, as seen from the second. */
  #where(first: number, second: number): string {
    const place = this.#place(first);
    if (!place) return `task ${first + 1}`;
    return place.line === this.#place(second)?.line ? "in the same loop" : `in line ${place.line}`;
  }

  #place(task: number): Span | undefined {
    return this.#numbering.groupOf(task).task.at;
  }

  #name(task: number): string {
    return shorten(taskName(this.#numbering.groupOf(task).task, this.#numbering.bindings(task), task));
  }
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
