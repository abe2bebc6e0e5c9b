/**
 * From statements to the application: variables get their values, conditions are decided, loops are kept folded
 * as templates where they can be (loops.ts) and opened where they must be.
 */
import type { Suggest } from "@/core/languages/did-you-mean";
import type { SourceText } from "@/core/languages/source-text";
import type { Problem, Span } from "@/core/problem";
import type {
  Application,
  Dependency,
  GraphHint,
  Loop,
  Numbering,
  TaskGroup,
  TaskTemplate,
  TransientFiles,
} from "@/core/workflow/application";
import { expandList, noBindings } from "@/core/workflow/expand";
import { denseStrides, loopSize, loopValueAt, productSize } from "@/core/workflow/loops";
import type {
  FinalStatement,
  ForeachStatement,
  LoopValues,
  OrderStatement,
  Place,
  Statement,
  TaskStatement,
  TransientStatement,
  Word,
} from "./ast";
import { Evaluator } from "./evaluate";
import { examineLoop, type LoopFacts } from "./loops";
import { lowerTask } from "./lower-task";
import { quotedPlace } from "./parse-requirement";
import { readRequirement } from "./requirement";
import type { SubmitFiles } from "./submit-files";
import { fillHole, loopValue, text } from "./values";

/** More tasks than this are refused: a slip of the finger in a range, not an application. */
const maxTasks = 10_000_000;
/** More statements than this, counting each turn of an opened loop, are refused. */
const maxSteps = 5_000_000;

const tooManyTasks = `This makes more than ${maxTasks.toLocaleString("en")} tasks or files, which is the limit.`;
const tooManySteps = `The loops of this text take more than ${maxSteps.toLocaleString("en")} steps, which is the limit.`;

/** Most tasks of a large text stand outside loops and can share this. */
const none: never[] = [];

export class Lowering {
  readonly #source: SourceText;
  readonly #report: (problem: Problem) => void;
  readonly #evaluator: Evaluator;
  /** Absent if no files came along. */
  readonly #submitFiles: SubmitFiles | undefined;
  readonly #groups: TaskGroup[] = [];
  /** Of the groups inside folded loops, in their order; the others follow one another. */
  readonly #numbered: { group: TaskGroup; numbering: Numbering }[] = [];
  readonly #transient: TransientFiles[] = [];
  readonly #facts = new WeakMap<ForeachStatement, LoopFacts>();
  /** An opened loop comes by the same statement again and again; its problem is told once. */
  readonly #told = new Set<string>();
  readonly #foldedVariables: string[] = [];
  #hint: { type: GraphHint; at: Span } | undefined;
  #requirement: Application["requirement"];
  readonly #dependencies: Dependency[] = [];
  #finalTask: { name: string; at: Span } | undefined;
  #created = 0;
  #steps = 0;
  #stopped = false;

  constructor(
    source: SourceText,
    report: (problem: Problem) => void,
    suggest: Suggest,
    submitFiles: SubmitFiles | undefined,
  ) {
    this.#source = source;
    this.#submitFiles = submitFiles;
    this.#report = report;
    this.#evaluator = new Evaluator((code, message, place) => this.#error(code, message, place), suggest);
  }

  add(statement: Statement): void {
    this.#lowerBody([statement]);
  }

  /** A task outside all loops that needs nothing looked up. */
  addPlainTask(task: TaskTemplate, place: Place): void {
    if (this.#stopped) return;
    this.#steps += 1;
    if (this.#steps > maxSteps) this.#stop("gridadl/too-many-steps", tooManySteps, place);
    else this.#addGroup(task, place);
  }

  finish(): Application {
    let next = 0;
    let folded = 0;
    for (const group of this.#groups) {
      const numbered = this.#numbered[folded];
      if (numbered?.group === group) {
        folded += 1;
        const { first, strides } = numbered.numbering;
        const inTurn = first === next && denseStrides(group.loops).every((stride, l) => stride === strides[l]);
        if (!inTurn) group.numbering = { first, strides };
      }
      next += productSize(group.loops);
    }
    const groups = this.#groups;
    const application: Application = { groups, transient: this.#transient };
    if (this.#hint) {
      application.hint = this.#hint.type;
      application.hintAt = this.#hint.at;
    }
    if (this.#requirement) application.requirement = this.#requirement;
    if (this.#dependencies.length > 0) application.dependencies = this.#dependencies;
    if (this.#finalTask) {
      application.finalTask = this.#finalTask.name;
      application.finalTaskAt = this.#finalTask.at;
    }
    return application;
  }

  #lowerBody(body: readonly Statement[]): void {
    for (const statement of body) {
      if (this.#stopped) return;
      this.#steps += 1;
      if (this.#steps > maxSteps) this.#stop("gridadl/too-many-steps", tooManySteps, statement);
      else this.#lower(statement);
    }
  }

  #lower(statement: Statement): void {
    switch (statement.is) {
      case "graph":
        if (this.#hint) this.#error("gridadl/repeated-graph", 'There is already a "graph" line.', statement);
        this.#hint = { type: statement.type, at: this.#span(statement) };
        break;
      case "requirement":
        this.#lowerRequirement(statement);
        break;
      case "task":
        this.#addTask(statement);
        break;
      case "foreach":
        this.#lowerLoop(statement);
        break;
      case "if": {
        const holds = this.#evaluator.condition(statement.condition);
        if (holds !== undefined) this.#lowerBody(holds ? statement.then : statement.otherwise);
        break;
      }
      case "assignment":
        this.#evaluator.variables.set(statement.name, this.#evaluator.expression(statement.value));
        break;
      case "transient":
        this.#addTransient(statement);
        break;
      case "order":
        this.#addOrder(statement);
        break;
      case "final":
        this.#setFinal(statement);
        break;
      case "broken":
        for (const name of statement.declares) this.#evaluator.variables.set(name, undefined);
        break;
    }
  }

  #lowerRequirement(statement: Statement & { is: "requirement" }): void {
    if (this.#requirement) this.#error("gridadl/repeated-requirement", "There is already a requirement.", statement);
    const requirement = this.#readRequirement(statement.text, statement.textAt);
    if (requirement) this.#requirement = { ...requirement, at: this.#span(statement) };
  }

  #readRequirement(text: string, place: Place): TaskTemplate["requirement"] {
    const { requirement, problems } = readRequirement(text);
    for (const problem of problems) this.#tellAt(problem, place.start, this.#source.within(place, text, problem.at));
    return requirement === undefined ? undefined : { text: requirement, at: this.#span(place) };
  }

  #addTask(statement: TaskStatement): void {
    const task = lowerTask(statement, this.#evaluator, {
      error: (code, message, place) => this.#error(code, message, place),
      warning: (code, message, place) => this.#tell("warning", code, message, place),
      requirement: (text, word) => this.#readRequirement(text, quotedPlace(this.#source, word, text)),
    });
    if (!task) return;
    this.#addGroup(task, statement);
  }

  #addGroup(written: TaskTemplate, place: Place): void {
    const task = this.#submitFiles ? this.#submitFiles.complete(written, place, this.#created + 1) : written;
    if (!task) return;
    task.at = this.#span(place);
    const group: TaskGroup = { loops: none, task };
    this.#groups.push(group);
    if (this.#foldedVariables.length > 0) {
      this.#numbered.push({ group, numbering: { first: this.#created, strides: none } });
    }
    this.#created += 1;
    this.#checkCount(this.#created, place);
  }

  #addTransient(statement: TransientStatement): void {
    const files = statement.files.map((word) => this.#evaluator.template(word));
    if (!files.every((file) => file !== undefined)) return;
    this.#transient.push({ loops: [], files, at: this.#span(statement) });
  }

  #addOrder(statement: OrderStatement): void {
    const before = this.#names(statement.before);
    const after = this.#names(statement.after);
    if (!before || !after) return;
    if (this.#dependencies.length + before.length * after.length > maxSteps) {
      this.#stop("gridadl/too-many-steps", tooManySteps, statement);
      return;
    }
    const at = this.#span(statement);
    for (const parent of before) {
      for (const child of after) this.#dependencies.push({ before: parent, after: child, at });
    }
  }

  #setFinal(statement: FinalStatement): void {
    const names = this.#names([statement.name]);
    if (!names) return;
    const [name, ...more] = names;
    if (name === undefined || more.length > 0 || (this.#finalTask && this.#finalTask.name !== name)) {
      this.#error("gridadl/final", "One task is the final one.", statement);
    } else this.#finalTask = { name, at: this.#span(statement) };
  }

  /** Names of tasks or values of a set; a variable may hold several, as it may of files. */
  #names(words: readonly Word[]): string[] | undefined {
    const templates = words.map((word) => this.#evaluator.template(word));
    if (!templates.every((template) => template !== undefined)) return undefined;
    return templates.flatMap((template) => expandList(template, noBindings));
  }

  #lowerLoop(statement: ForeachStatement): void {
    const values = this.#loopValues(statement.over);
    let facts = this.#facts.get(statement);
    if (!facts) {
      facts = examineLoop(statement);
      this.#facts.set(statement, facts);
    }
    if (!values) {
      for (const name of facts.sets) this.#evaluator.variables.set(name, undefined);
    } else if (facts.mustOpen) this.#open(statement, values);
    else this.#fold(statement, values, facts);
  }

  #open(statement: ForeachStatement, values: Loop["values"]): void {
    const loop: Loop = { variable: statement.variable, values };
    const size = loopSize(loop);
    for (let position = 0; position < size && !this.#stopped; position++) {
      this.#evaluator.variables.set(statement.variable, loopValue(loopValueAt(loop, position)));
      this.#lowerBody(statement.body);
    }
  }

  /** Reads the body once, with a hole where the loop variable is, and multiplies what came out of it. */
  #fold(statement: ForeachStatement, values: Loop["values"], facts: LoopFacts): void {
    const variable = this.#holeName(statement.variable);
    const loop: Loop = { variable, values };
    const size = loopSize(loop);
    const numberedBefore = this.#numbered.length;
    const transientBefore = this.#transient.length;
    const createdBefore = this.#created;
    this.#evaluator.variables.set(statement.variable, text([{ hole: variable }]));
    this.#foldedVariables.push(variable);
    this.#lowerBody(statement.body);
    this.#foldedVariables.pop();
    const perTurn = this.#created - createdBefore;
    for (const { group, numbering } of this.#numbered.slice(numberedBefore)) {
      group.loops = [loop, ...group.loops];
      numbering.strides = [perTurn, ...numbering.strides];
    }
    for (const transient of this.#transient.slice(transientBefore)) {
      transient.loops.unshift(loop);
      this.#checkCount(productSize(transient.loops), statement);
    }
    this.#created = createdBefore + perTurn * size;
    this.#checkCount(Math.max(this.#created, size), statement);
    const last = loopValue(loopValueAt(loop, size - 1));
    for (const name of facts.sets) {
      const value = this.#evaluator.variables.get(name);
      if (value) this.#evaluator.variables.set(name, fillHole(value, variable, last));
    }
  }

  /** A loop inside another over the same name needs a hole of its own. */
  #holeName(name: string): string {
    let hole = name;
    for (let n = 2; this.#foldedVariables.includes(hole); n++) hole = `${name}'${n}`;
    return hole;
  }

  #loopValues(over: LoopValues): Loop["values"] | undefined {
    if (over.is === "set") {
      const values = this.#names(over.values);
      if (!values) return undefined;
      if (values.length > 0) return values;
      this.#error("gridadl/empty-set", "This set has no values.", over);
      return undefined;
    }
    const from = this.#evaluator.number(over.from, "The first number of the range");
    const to = this.#evaluator.number(over.to, "The last number of the range");
    const step = over.step ? this.#evaluator.number(over.step, "The step of the range") : 1;
    if (from === undefined || to === undefined || step === undefined) return undefined;
    const written = over.step ? `${from}..${to} step ${step}` : `${from}..${to}`;
    if (![from, to, step].every(Number.isSafeInteger)) {
      this.#error("gridadl/bad-range", `A range is made of whole numbers; this one is ${written}.`, over);
    } else if (step === 0) {
      this.#error("gridadl/bad-range", `The range ${written} never ends; expected a step other than 0.`, over);
    } else if (step > 0 ? from > to : from < to) {
      const expected = step > 0 ? "the smaller number first" : "the larger number first, since the step is negative";
      this.#error("gridadl/bad-range", `The range ${written} is empty; expected ${expected}.`, over);
    } else return { from, to, step };
    return undefined;
  }

  #checkCount(count: number, place: Place): void {
    if (count > maxTasks) this.#stop("gridadl/too-many-tasks", tooManyTasks, place);
  }

  /** What there is so far is dropped too: nobody should unfold it. */
  #stop(code: string, message: string, place: Place): void {
    if (!this.#stopped) this.#error(code, message, place);
    this.#stopped = true;
    this.#groups.length = 0;
    this.#numbered.length = 0;
    this.#transient.length = 0;
    this.#dependencies.length = 0;
  }

  #error(code: string, message: string, place: Place): void {
    this.#tell("error", code, message, place);
  }

  #tell(severity: Problem["severity"], code: string, message: string, place: Place): void {
    this.#tellAt({ severity, code, message }, place.start, this.#span(place));
  }

  #tellAt(problem: Problem, start: number, at: Span): void {
    const key = `${problem.code} ${start}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#report({ ...problem, at });
  }

  #span(place: Place): Span {
    return this.#source.span(place.start, place.end);
  }
}
