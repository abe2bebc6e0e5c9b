/**
 * The application as GRID-ADL. Reading what is printed gives the same application again, up to the names of loop
 * variables; what the language has no words for is left out and told, each kind once.
 */
import type { PrintedWorkflow } from "@/core/languages/format";
import type { Problem } from "@/core/problem";
import { mapAdaptive } from "@/core/workflow/adaptive";
import type { Application, Loop, TaskTemplate, Template } from "@/core/workflow/application";
import { printExitCodes } from "@/core/workflow/exit-codes";
import { needWords } from "@/core/workflow/needs";
import { TaskNumbering } from "@/core/workflow/numbering";
import { printAdaptive } from "./adaptive";
import { isCommandLine } from "./lower-task";
import { type Block, blocksOf } from "./print-loops";
import { type Rename, WordPrinter } from "./print-words";
import { unsayable } from "./unsayable";

export function printGridadl(application: Application): PrintedWorkflow {
  const printer = new Printer(application);
  const blocks = application.groups.every(({ loops }) => loops.every(isSayable)) ? blocksOf(application) : undefined;
  return blocks ? printer.print(blocks) : printer.print(unfolded(application));
}

class Printer {
  readonly #application: Application;
  readonly #names: ReadonlyMap<string, string>;
  readonly #words: WordPrinter;
  readonly #lines: string[] = [];
  readonly #problems: Problem[] = [];
  readonly #rename: Rename;

  constructor(application: Application) {
    this.#application = application;
    this.#names = loopNames(application);
    this.#words = new WordPrinter(new Set(this.#names.values()));
    this.#rename = (variable) => this.#names.get(variable) ?? variable;
  }

  print(blocks: readonly Block[]): PrintedWorkflow {
    const { hint, requirement, transient } = this.#application;
    const head: string[] = [];
    if (hint) head.push(`graph ${hint}`);
    if (requirement) head.push(`requirement = ${this.#requirement(requirement.text)}`);
    this.#blocks(blocks, "");
    this.#order();
    for (const { loops, files } of transient) this.#transient(loops, files);
    this.#problems.push(...unsayable(this.#application));
    if (this.#words.lostLineEnd) {
      this.#warn("line-end", "GRID-ADL has no line ends inside texts; they are written as blanks.");
    }
    const lines = [...head, ...this.#words.assignments, ...this.#lines];
    return { text: lines.length === 0 ? "" : `${lines.join("\n")}\n`, problems: this.#problems };
  }

  #blocks(blocks: readonly Block[], indent: string): void {
    for (const block of blocks) {
      if (block.is === "task") this.#lines.push(indent + this.#task(block.group.task));
      else {
        this.#lines.push(`${indent}${this.#head(block.loop)} {`);
        this.#blocks(block.body, `${indent}  `);
        this.#lines.push(`${indent}}`);
      }
    }
  }

  #transient(loops: readonly Loop[], files: readonly Template[]): void {
    const words = this.#files(files);
    if (words === "") return;
    if (!loops.every(isSayable)) {
      this.#warn("loop", "A loop over values that GRID-ADL cannot write names transient files; they are left out.");
      return;
    }
    loops.forEach((loop, depth) => {
      this.#lines.push(`${"  ".repeat(depth)}${this.#head(loop)} {`);
    });
    this.#lines.push(`${"  ".repeat(loops.length)}transient${words}`);
    for (let depth = loops.length - 1; depth >= 0; depth--) this.#lines.push(`${"  ".repeat(depth)}}`);
  }

  /** Each dependency in its turn; those of one task that follow each other share a line. */
  #order(): void {
    const { dependencies = [], finalTask } = this.#application;
    let last: string | undefined;
    for (const { before, after } of dependencies) {
      if (!isListable(before) || !isListable(after)) {
        this.#warn("dependency", `GRID-ADL cannot say that "${after}" follows "${before}"; left out.`);
        continue;
      }
      if (before === last) this.#lines[this.#lines.length - 1] += ` ${this.#taskName(after)}`;
      else this.#lines.push(`parent ${this.#taskName(before)} child ${this.#taskName(after)}`);
      last = before;
    }
    if (finalTask !== undefined && !isListable(finalTask)) {
      this.#warn("final", `GRID-ADL cannot say that "${finalTask}" is the final task; left out.`);
    } else if (finalTask !== undefined) this.#lines.push(`final ${this.#taskName(finalTask)}`);
  }

  #taskName(name: string): string {
    return /^[\p{L}\p{N}_][\p{L}\p{N}_.+-]*$/u.test(name) && name !== "child" && name !== "done"
      ? name
      : this.#item(name);
  }

  /** One item of a list, which is split at `;`. */
  #item(value: string): string {
    return this.#words.quoted(value.replaceAll(";", "\\;")).replaceAll("\\\\;", "\\;");
  }

  #head({ variable, values }: Loop): string {
    const name = this.#rename(variable);
    if (Array.isArray(values)) {
      return `foreach ${name} in {${values.map((value) => this.#item(value)).join("; ")}}`;
    }
    const { from, to, step } = values;
    return `foreach ${name} in ${from}..${to}${step === 1 ? "" : ` step ${step}`}`;
  }

  #task(task: TaskTemplate): string {
    const { executable, shell, inputs, outputs, weight, requirement, done } = task;
    const name = task.name && this.#words.word(task.name, this.#rename);
    const args = this.#words.arguments(task.arguments, this.#rename);
    let line = name === undefined ? "task" : `task ${name}`;
    line += ` -e ${this.#executable(executable, shell)}`;
    if (args !== undefined) line += ` -a ${args}`;
    const read = this.#files(inputs);
    const written = this.#files(outputs);
    if (read !== "") line += ` -i${read}`;
    if (written !== "") line += ` -o${written}`;
    if (weight !== 1) line += ` -c ${this.#weight(weight)}`;
    if (requirement) line += ` -r ${this.#words.quoted(requirement.text)}`;
    line += this.#additions(task);
    line += printAdaptive(
      task,
      (template) => this.#words.word(template, this.#rename),
      (text) => this.#words.quoted(text),
    );
    return done ? `${line} done` : line;
  }

  #additions({ when = [], join, resources, software, spawns }: TaskTemplate): string {
    let line = "";
    const needs = needWords({ ...(resources && { resources }), ...(software && { software }) });
    if (needs.length > 0) line += ` -q ${needs.join(" ")}`;
    for (const { task, exits } of when) {
      const codes = { text: `=${printExitCodes(exits)}`, quoted: task.at(-1)?.quoted ?? false };
      line += ` -w ${this.#words.word([...task, codes], this.#rename) ?? '""'}`;
    }
    if (join) line += " -j";
    if (spawns) line += ` -s ${this.#words.word(spawns, this.#rename) ?? '""'}`;
    return line;
  }

  #executable(template: Template, shell: boolean): string {
    if (isCommandLine(template) === shell) return this.#words.word(template, this.#rename) ?? '""';
    if (!shell) return this.#words.program(template, this.#rename) ?? '""';
    // A blank at its end makes a command line of a single word, and changes nothing for a shell.
    return this.#words.word([...template, { text: " ", quoted: true }], this.#rename) ?? '""';
  }

  #files(templates: readonly Template[]): string {
    let files = "";
    for (const template of templates) {
      const word = this.#words.word(template, this.#rename);
      if (word !== undefined && word !== '""') files += ` ${word}`;
    }
    return files;
  }

  #weight(weight: number): string {
    // The language has no exponents.
    const whole = Number.isInteger(weight);
    const written = whole ? BigInt(weight).toString() : decimal(weight);
    if (Number(written) !== weight) this.#warn("weight", `GRID-ADL cannot write the weight ${weight} exactly.`);
    return written;
  }

  /** Between parentheses, as in the thesis, unless something in it means something else there. */
  #requirement(text: string): string {
    return /^[\w\s.()<>=!&|+*-]*$/.test(text.replace(/"[\w .-]*"/g, "")) ? `(${text})` : this.#words.quoted(text);
  }

  #warn(code: string, message: string): void {
    if (this.#problems.some((problem) => problem.code === `gridadl/cannot-say-${code}`)) return;
    this.#problems.push({ severity: "warning", code: `gridadl/cannot-say-${code}`, message });
  }
}

function decimal(number: number): string {
  const short = String(number);
  return short.includes("e") ? number.toFixed(20).replace(/\.?0+$/, "") : short;
}

/** Empty values and line ends are lost in a set, and a backslash before a semicolon means another thing. */
function isSayable({ values }: Loop): boolean {
  return !Array.isArray(values) || values.every(isListable);
}

const isListable = (value: string): boolean => value !== "" && !/\n|\\;|\\$/.test(value);

/** Every loop variable of the application with a name that GRID-ADL can read, no two alike. */
function loopNames(application: Application): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { loops } of [...application.groups, ...application.transient]) {
    for (const { variable } of loops) {
      if (names.has(variable)) continue;
      const base = /^[\p{L}_][\p{L}\p{N}_]*$/u.test(variable) ? variable : variable.replace(/[^\p{L}\p{N}_]/gu, "_");
      const start = /^[\p{L}_]/u.test(base) ? base : `v${base}`;
      let name = start;
      for (let n = 2; taken.has(name); n++) name = `${start}_${n}`;
      names.set(variable, name);
      taken.add(name);
    }
  }
  return names;
}

/** Every task by itself, in the order of creation. */
function unfolded(application: Application): Block[] {
  const numbering = new TaskNumbering(application);
  return Array.from({ length: numbering.taskCount }, (_, number) => {
    const { task } = numbering.groupOf(number);
    const bindings = numbering.bindings(number);
    const fill = (template: Template): Template =>
      template.map((piece) =>
        "text" in piece ? piece : { text: bindings.get(piece.variable) ?? "", quoted: piece.quoted },
      );
    const single: TaskTemplate = {
      ...task,
      executable: fill(task.executable),
      arguments: fill(task.arguments),
      inputs: task.inputs.map(fill),
      outputs: task.outputs.map(fill),
    };
    if (task.name) single.name = fill(task.name);
    if (task.when) single.when = task.when.map(({ task: before, exits }) => ({ task: fill(before), exits }));
    if (task.spawns) single.spawns = fill(task.spawns);
    if (task.before) single.before = fill(task.before);
    if (task.afterwards) single.afterwards = fill(task.afterwards);
    if (task.adaptive) single.adaptive = mapAdaptive(task.adaptive, fill);
    return { is: "task", group: { loops: [], task: single } };
  });
}
