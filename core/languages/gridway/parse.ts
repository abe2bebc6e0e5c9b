/**
 * A GridWay job template → one task, or an array of them. Arrays are asked for with `TOTAL_TASKS = n` and, as with
 * gwsubmit's -s and -i, PARAM_START and PARAM_INCREMENT: a template by itself does not say how often it is submitted.
 */
import {
  type Expr,
  type Parsed,
  printExpression,
  translateGridwayRank,
  translateGridwayRequirement,
  translateLdapFilter,
} from "@/core/expressions";
import { didYouMean } from "@/core/languages/did-you-mean";
import type { ParsedText, Surroundings } from "@/core/languages/format";
import { tellNul } from "@/core/languages/nul";
import { ProblemList } from "@/core/problem-list";
import type { Application, Loop, TaskTemplate, Template } from "@/core/workflow/application";
import { parseWords, quoteWord } from "@/core/workflow/shell-words";
import { readAdaptive } from "./adaptive";
import { type Entry, Reports, readEntries } from "./entries";
import { notKept, renamed, understood } from "./keys";
import { readEnvironment, readFiles } from "./lists";
import { fillIn, mentioned, type VariableValues } from "./variables";

const maxCharacters = 1024 * 1024;
const maxTasks = 10_000_000;
/** An array in which both the number of a task and its parameter are used is unfolded. */
const maxUnfolded = 20_000;

export function parseGridway(text: string, surroundings: Surroundings = {}): ParsedText {
  const problems = new ProblemList();
  const reports = new Reports(text, problems);
  const application: Application = { groups: [], transient: [] };
  if (text.length > maxCharacters) {
    reports.error("too-large", "The text is too long for a job template: more than a million characters.", {
      start: 0,
      end: 0,
    });
    return { application, problems: problems.toArray() };
  }
  tellNul(text, (message, place) => reports.error("nul", message, place));
  new TemplateReader(text, reports, surroundings).into(application);
  return { application, problems: problems.toArray() };
}

class TemplateReader {
  readonly #reports: Reports;
  readonly #entries: Map<string, Entry>;
  readonly #readFile: (name: string) => string | undefined;
  readonly #environment = new Map<string, string>();
  /** Keys nobody knows: what the performance evaluator is to be told. */
  readonly #passed: Entry[] = [];
  readonly #told = new Set<string>();
  readonly #fileLists = new Map<Entry, string[]>();

  constructor(text: string, reports: Reports, { readFile }: Surroundings) {
    this.#reports = reports;
    this.#entries = readEntries(text, reports);
    this.#readFile = (name) => readFile?.(name);
  }

  into(application: Application): void {
    this.#tellOthers();
    const executable = this.#get("EXECUTABLE");
    if (!executable || executable.value === "") {
      const message = "The template names no program: `EXECUTABLE = …` is missing.";
      this.#reports.error("missing-executable", message, executable?.valuePlace ?? { start: 0, end: 0 });
      return;
    }
    const environment = this.#get("ENVIRONMENT");
    const variables = environment ? readEnvironment(environment, this.#reports) : [];
    for (const { name, value } of variables) this.#environment.set(name, value);
    const count = this.#number("TOTAL_TASKS", 1);
    if (count === undefined) {
      application.groups.push({ loops: [], task: this.#task(executable, new Map()) });
      return;
    }
    if (count > maxTasks) {
      const message = `An array cannot have more than ${maxTasks} tasks.`;
      this.#reports.error("too-many-tasks", message, this.#entries.get("TOTAL_TASKS")!.valuePlace);
      return;
    }
    this.#array(application, executable, count);
  }

  #array(application: Application, executable: Entry, count: number): void {
    const start = this.#number("PARAM_START", Number.MIN_SAFE_INTEGER) ?? 0;
    const increment = this.#number("PARAM_INCREMENT", Number.MIN_SAFE_INTEGER) ?? 1;
    const last = start + increment * (count - 1);
    const used = new Set([...this.#entries.values()].flatMap(({ value }) => mentioned(value)));
    const constants: [string, string][] = [
      ["TOTAL_TASKS", String(count)],
      ["MAX_PARAM", String(last)],
    ];
    const same = start === 0 && increment === 1;
    if (used.has("PARAM") && !same && (used.has("TASK_ID") || increment === 0)) {
      if (count > maxUnfolded) {
        const message = `An array that uses \${TASK_ID} and \${PARAM} cannot have more than ${maxUnfolded} tasks.`;
        this.#reports.error("too-many-tasks", message, this.#entries.get("TOTAL_TASKS")!.valuePlace);
        return;
      }
      for (let i = 0; i < count; i++) {
        const array = new Map([
          ...constants,
          ["TASK_ID", String(i)] as const,
          ["PARAM", String(start + increment * i)] as const,
        ]);
        application.groups.push({
          loops: [],
          task: this.#task(executable, array, [{ text: String(i), quoted: true }]),
        });
      }
      return;
    }
    const byParam = used.has("PARAM") && !same;
    const variable = byParam ? "GW_PARAM" : "GW_TASK_ID";
    const values = byParam ? { from: start, to: last, step: increment } : { from: 0, to: count - 1, step: 1 };
    const loop: Loop = { variable, values };
    const array = new Map<string, string | { loop: string }>(constants);
    if (byParam) array.set("PARAM", { loop: variable });
    else for (const name of ["TASK_ID", "PARAM"]) array.set(name, { loop: variable });
    application.groups.push({ loops: [loop], task: this.#task(executable, array, [{ variable, quoted: true }]) });
  }

  #task(executable: Entry, array: VariableValues["array"], number?: Template): TaskTemplate {
    const fill = (entry: Entry) => (text: string) => this.#fill(text, entry, array);
    const files = (entry: Entry | undefined, direction: "input" | "output"): Template[] =>
      entry ? this.#files(entry, direction).map((name) => fill(entry)(name.replaceAll(";", "\\;"))) : [];
    const task: TaskTemplate = {
      executable: [],
      shell: false,
      arguments: [],
      inputs: files(this.#get("INPUT_FILES"), "input"),
      outputs: files(this.#get("OUTPUT_FILES"), "output"),
      weight: 1,
      done: false,
      at: this.#reports.span(executable.keyPlace),
    };
    this.#command(task, executable, array);
    const name = this.#get("NAME");
    if (name && name.value !== "") {
      const filled = fill(name)(name.value);
      const varies = filled.some((piece) => "variable" in piece);
      task.name = number && !varies ? [...filled, { text: ".", quoted: true }, ...number] : filled;
    }
    this.#streams(task, array);
    this.#expressions(task);
    this.#others(task, array);
    const { adaptive, programs } = readAdaptive({
      get: (key) => this.#get(key),
      number: (key, minimum) => this.#number(key, minimum),
      files,
      fill: (entry) => fill(entry)(entry.value),
    });
    if (adaptive) task.adaptive = adaptive;
    task.inputs.push(...programs);
    return task;
  }

  /** Read once, however many tasks an array is unfolded into. */
  #files(entry: Entry, direction: "input" | "output"): string[] {
    const known = this.#fileLists.get(entry) ?? readFiles(entry, direction, this.#reports);
    this.#fileLists.set(entry, known);
    return known;
  }

  #command(task: TaskTemplate, executable: Entry, array: VariableValues["array"]): void {
    // GridWay's wrapper lets a shell split both, so `EXECUTABLE = /usr/bin/env python3` is a program and an argument.
    const [program = "", ...more] = executable.value.split(/\s+/);
    const local = program.replace(/^file:\/\//, "");
    task.executable = this.#fill(local, executable, array);
    const isStaged = executable.key === "EXECUTABLE_FILE" || local !== program;
    if (isStaged && !local.startsWith("/")) task.inputs.unshift(task.executable);
    const given = this.#get("ARGUMENTS");
    const text = [...more.map(quoteWord), given?.value ?? ""].join(" ").trim();
    if (text === "") return;
    const place = given ?? executable;
    const { unclosed } = parseWords(text);
    if (unclosed !== undefined) {
      const message =
        unclosed === "\\" ? "The arguments end in a backslash." : `The ${unclosed} in the arguments is not closed.`;
      this.#tell("error", "unclosed-argument", message, place);
      return;
    }
    task.arguments = this.#fill(text, place, array);
  }

  #streams(task: TaskTemplate, array: VariableValues["array"]): void {
    for (const [key, stream, files] of [
      ["STDIN_FILE", "stdin", task.inputs],
      ["STDOUT_FILE", "stdout", task.outputs],
      ["STDERR_FILE", "stderr", task.outputs],
    ] as const) {
      const entry = this.#get(key);
      if (!entry || entry.value === "" || entry.value === "/dev/null") continue;
      const file = this.#fill(entry.value.replace(/^file:\/\//, "").replaceAll(";", "\\;"), entry, array);
      task[stream] = file;
      const written = JSON.stringify(file);
      if (!files.some((other) => JSON.stringify(other) === written)) files.push(file);
    }
  }

  #expressions(task: TaskTemplate): void {
    const requirement = this.#get("REQUIREMENTS");
    const rank = this.#get("RANK");
    if (requirement) this.#translate(requirement, translateGridwayRequirement, task, "requirement");
    else this.#fromFile("HOST_REQUIREMENTS_FILE", translateLdapFilter, task, "requirement");
    if (rank) this.#translate(rank, translateGridwayRank, task, "rank");
    else this.#fromFile("RANK_FUNCTION_FILE", translateGridwayRank, task, "rank");
  }

  #translate(
    entry: Entry,
    translate: (text: string) => Parsed<Expr>,
    task: TaskTemplate,
    field: "requirement" | "rank",
  ): void {
    if (entry.value === "") return;
    const parsed = translate(entry.value);
    if (parsed.ok) {
      task[field] = { text: printExpression(parsed.value, "spaced"), at: this.#reports.span(entry.valuePlace) };
      return;
    }
    const { message, at } = parsed.problem;
    const start = Math.min(entry.valuePlace.start + (at?.column ?? 1) - 1, entry.valuePlace.end);
    const end = Math.max(start, Math.min(entry.valuePlace.start + (at?.endColumn ?? 1) - 1, entry.valuePlace.end));
    if (this.#once(entry.key)) this.#reports.error("bad-expression", `${entry.key}: ${message}`, { start, end });
  }

  /** The first GridWay read requirement and rank from files, which may be programs that print them. */
  #fromFile(
    key: string,
    translate: (text: string) => Parsed<Expr>,
    task: TaskTemplate,
    field: "requirement" | "rank",
  ): void {
    const entry = this.#get(key);
    if (!entry || entry.value === "") return;
    const text = this.#readFile(entry.value);
    if (text === undefined || text.startsWith("#!")) {
      const why = text === undefined ? "it is not there" : "it is a program, which is not run here";
      this.#tell("warning", "not-kept", `${key} "${entry.value}" is not kept: ${why}.`, entry);
      return;
    }
    const expression = text.replace(/^[ \t]*#.*$/gm, "").trim();
    const parsed = translate(expression);
    if (parsed.ok)
      task[field] = { text: printExpression(parsed.value, "spaced"), at: this.#reports.span(entry.valuePlace) };
    else this.#tell("error", "bad-expression", `In the file "${entry.value}": ${parsed.problem.message}`, entry);
  }

  #others(task: TaskTemplate, array: VariableValues["array"]): void {
    const environment = this.#get("ENVIRONMENT");
    const variables = [...this.#environment].map(([name, value]) => ({
      name,
      value: environment ? this.#fill(value, environment, array) : [],
    }));
    for (const entry of this.#passed) variables.push({ name: entry.key, value: this.#fill(entry.value, entry, array) });
    if (variables.length > 0) task.environment = variables;
    const cores = this.#number("NP", 1);
    if (cores !== undefined) task.resources = { cores };
    const type = this.#get("TYPE");
    if (type && !/^single$/i.test(type.value)) {
      this.#tell(
        "warning",
        "not-kept",
        `TYPE "${type.value}" is not kept: every task is one program on one host.`,
        type,
      );
    }
    this.#retries(task);
    const wrapper = this.#get("PRE_WRAPPER");
    if (wrapper && wrapper.value !== "") {
      const args = this.#get("PRE_WRAPPER_ARGUMENTS")?.value ?? "";
      task.before = this.#fill(`${wrapper.value} ${args}`.trim(), wrapper, array);
    }
  }

  /** Retries are tried anywhere; GridWay's first ones were on the same host. */
  #retries(task: TaskTemplate): void {
    const times = this.#number("NUMBER_OF_RETRIES", 0);
    const reschedule = this.#get("RESCHEDULE_ON_FAILURE");
    const isYes = /^yes$/i.test(reschedule?.value ?? "");
    if (reschedule && !isYes && !/^no$/i.test(reschedule.value)) {
      this.#tell(
        "error",
        "not-yes-or-no",
        `${reschedule.key} is "yes" or "no", not "${reschedule.value}".`,
        reschedule,
      );
      return;
    }
    if (reschedule && !isYes && (times ?? 0) > 0) {
      this.#tell(
        "warning",
        "not-kept",
        "RESCHEDULE_ON_FAILURE = no is not kept: a task that is tried again may go to another host.",
        reschedule,
      );
    }
    if (times !== undefined) task.retries = { times };
    else if (reschedule) task.retries = { times: isYes ? 1 : 0 };
  }

  #tellOthers(): void {
    const evaluator = this.#entries.has("PERFORMANCE_EVALUATOR");
    for (const entry of this.#entries.values()) {
      if (evaluator && entry.key === "MAX_ITERATION_TIME") this.#passed.push(entry);
      if (understood.includes(entry.key)) continue;
      if (Object.hasOwn(notKept, entry.key)) {
        this.#reports.warning("not-kept", `${entry.key} is not kept: ${notKept[entry.key]}.`, entry.keyPlace);
      } else if (evaluator) {
        this.#passed.push(entry);
        const message = `${entry.key} is not a key of GridWay; it is passed on in the task's environment, for the performance evaluator.`;
        this.#reports.warning("passed-on", message, entry.keyPlace);
      } else {
        const suggestion = didYouMean(entry.key, [...understood, ...Object.keys(notKept)]);
        const advice = suggestion ? ` Did you mean ${suggestion}?` : "";
        const message = `${entry.key} is not a key of GridWay, and there is no performance evaluator it could be for.${advice}`;
        this.#reports.warning("unknown-key", message, entry.keyPlace);
      }
    }
  }

  #get(key: string): Entry | undefined {
    const older = Object.keys(renamed).find((name) => renamed[name] === key);
    return this.#entries.get(key) ?? (older === undefined ? undefined : this.#entries.get(older));
  }

  #number(key: string, minimum: number): number | undefined {
    const entry = this.#get(key);
    if (!entry || entry.value === "") return undefined;
    const value = Number(entry.value);
    if (/^[+-]?\d{1,15}$/.test(entry.value) && value >= minimum) return value;
    const from = minimum > Number.MIN_SAFE_INTEGER ? ` from ${minimum} on` : "";
    this.#tell("error", "not-a-number", `${key} is a whole number${from}, not "${entry.value}".`, entry);
    return undefined;
  }

  #fill(text: string, entry: Entry, array: VariableValues["array"]): Template {
    return fillIn(text, {
      array,
      environment: this.#environment,
      unknown: (name) => {
        const message = `\${${name}} is no variable of GridWay's and not in ENVIRONMENT; it stays as it is.`;
        if (this.#once(`${entry.key}:${name}`)) this.#reports.warning("unknown-variable", message, entry.valuePlace);
      },
    });
  }

  /** The tasks of an array that is unfolded say everything again. */
  #tell(severity: "error" | "warning", code: string, message: string, entry: Entry): void {
    if (this.#once(`${entry.key}:${code}`)) this.#reports[severity](code, message, entry.valuePlace);
  }

  #once(key: string): boolean {
    if (this.#told.has(key)) return false;
    this.#told.add(key);
    return true;
  }
}
