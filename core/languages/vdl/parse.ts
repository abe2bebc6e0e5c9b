/**
 * VDL → the application: a task for each derivation, its files from the parameters, its edges from the files. `arg stdin`,
 * `stdout` and `stderr` are the streams; every other `arg` is an argument of the program.
 */
import type { ParsedText } from "@/core/languages/format";
import { literalTask } from "@/core/languages/literal-task";
import { literal } from "@/core/languages/literals";
import { TextReports } from "@/core/languages/reports";
import type { Application, TaskTemplate } from "@/core/workflow/application";
import { type Actual, type Derivation, type Formal, type Part, readStatements, type Transformation } from "./syntax";

const maxCharacters = 16 * 1024 * 1024;
const maxWords = 100_000;
const streams: readonly string[] = ["stdin", "stdout", "stderr"];

export function parseVdl(text: string): ParsedText {
  const reports = new TextReports(text, "vdl");
  const application: Application = { groups: [], transient: [] };
  if (text.length > maxCharacters) {
    reports.error("too-large", "The text is too long: more than 16 million characters.", { start: 0, end: 0 });
    return reports.result(application);
  }
  const { transformations, derivations, misreadAny } = readStatements(text, reports);
  const known = new Map<string, Transformation>();
  for (const one of transformations) {
    if (known.has(one.name)) reports.error("duplicate", `There are two transformations “${one.name}”.`, one);
    known.set(one.name, one);
    if (one.program === undefined) {
      reports.error("no-program", `The transformation “${one.name}” names no program: app … = "…" is missing.`, one);
    }
  }
  if (derivations.length === 0 && !misreadAny) {
    reports.error("no-derivation", "There is no derivation (DV …): nothing is to be run.", { start: 0, end: 0 });
  }
  const names = namesOf(derivations);
  for (const [index, derivation] of derivations.entries()) {
    const transformation = known.get(derivation.transformation);
    if (!transformation) {
      reports.error("unknown-transformation", `There is no transformation “${derivation.transformation}”.`, derivation);
      continue;
    }
    const task = new Derived(reports, derivation, transformation).task(names[index]!);
    application.groups.push({ loops: [], task });
  }
  return reports.result(application);
}

/** A derivation without a name of its own is called after its transformation, with a number if there are several. */
function namesOf(derivations: readonly Derivation[]): string[] {
  const used = new Map<string, number>();
  for (const { transformation } of derivations) used.set(transformation, (used.get(transformation) ?? 0) + 1);
  const numbers = new Map<string, number>();
  return derivations.map(({ name, transformation }) => {
    if (name !== undefined) return name;
    const number = (numbers.get(transformation) ?? 0) + 1;
    numbers.set(transformation, number);
    return used.get(transformation) === 1 ? transformation : `${transformation}.${number}`;
  });
}

class Derived {
  private readonly actuals: Map<string, Actual>;
  private readonly formals: Map<string, Formal>;

  constructor(
    private readonly reports: TextReports,
    private readonly derivation: Derivation,
    private readonly transformation: Transformation,
  ) {
    this.actuals = new Map(derivation.actuals.map((actual) => [actual.formal, actual]));
    this.formals = new Map(transformation.formals.map((formal) => [formal.name, formal]));
    for (const actual of derivation.actuals) {
      if (this.formals.has(actual.formal)) continue;
      reports.error("unknown-parameter", `“${transformation.name}” has no parameter “${actual.formal}”.`, actual);
    }
  }

  task(name: string): TaskTemplate {
    const { program, args } = this.transformation;
    const task = literalTask({
      name,
      executable: program ?? this.transformation.name,
      arguments: args.flatMap((arg) => (streams.includes(arg.name) ? [] : this.words(arg.parts))),
      inputs: this.files("input"),
      outputs: this.files("output"),
      at: this.reports.span(this.derivation),
    });
    for (const { name: stream, parts } of args) {
      const file = streams.includes(stream) ? this.words(parts, stream).join("") : "";
      if (file === "") continue;
      if (stream === "stdin") task.stdin = literal(file);
      else if (stream === "stdout") task.stdout = literal(file);
      else task.stderr = literal(file);
    }
    return task;
  }

  private files(direction: "input" | "output"): string[] {
    const names = new Set<string>();
    for (const { name, direction: of } of this.transformation.formals) {
      if (of !== direction && of !== "inout") continue;
      for (const { is, text } of this.actuals.get(name)?.values ?? []) if (is === "file") names.add(text);
    }
    return [...names];
  }

  /** Pieces side by side make one word; a list makes a word of each of its elements. */
  private words(parts: readonly Part[], stream?: string): string[] {
    const words = [""];
    for (const part of parts) {
      const values = "text" in part ? [part.text] : this.valuesOf(part, stream);
      const last = words.pop() ?? "";
      if (values.length === 1) words.push(`${last}${values[0]}`);
      else for (const value of values) words.push(value);
      if (words.length > maxWords) {
        this.reports.error("too-many-words", `A task has at most ${maxWords} arguments.`, this.derivation);
        return [];
      }
    }
    return words.filter((word) => word !== "");
  }

  private valuesOf(part: Extract<Part, { formal: string }>, stream?: string): string[] {
    const formal = this.formals.get(part.formal) ?? this.meantBy(part, stream);
    const actual = formal && this.actuals.get(formal.name);
    if (formal && !actual) {
      const message = `“${this.derivation.transformation}” needs a value for its parameter “${formal.name}”.`;
      this.reports.error("missing-parameter", message, this.derivation);
    }
    return actual?.values.map(({ text }) => text) ?? [];
  }

  /** Figure C.5 writes `${output:a2}` where its only output is called c. */
  private meantBy(part: Extract<Part, { formal: string }>, stream: string | undefined): Formal | undefined {
    const direction = stream === "stdin" ? "input" : "output";
    const candidates = this.transformation.formals.filter((formal) => formal.direction === direction);
    const [only, ...others] = stream === undefined ? [] : candidates;
    if (only && others.length === 0) {
      const message = `“${this.transformation.name}” has no parameter “${part.formal}”; its only ${direction} “${only.name}” is taken.`;
      this.reports.warning("unknown-parameter", message, part);
      return only;
    }
    return this.reports.error(
      "unknown-parameter",
      `“${this.transformation.name}” has no parameter “${part.formal}”.`,
      part,
    );
  }
}
