/**
 * The settings of one queued job → a task. What HTCondor knows and a task here does not is told, once for each place;
 * settings that ask for what happens here anyway (files are transferred, at the end) say nothing.
 */
import { parseExpression } from "@/core/expressions";
import { hole, literal, literalFile } from "@/core/languages/literals";
import type { TaskTemplate, Template } from "@/core/workflow/application";
import { quoteWord } from "@/core/workflow/shell-words";
import type { NodeContext, Setting } from "./context";
import type { Place, Reports } from "./source";
import { type Read, readArguments, readEnvironment, readFileList, readSize } from "./values";

/** Other names HTCondor accepts. */
const aliases: Readonly<Record<string, string[]>> = {
  arguments: ["args"],
  environment: ["env"],
  input: ["stdin", "in"],
  output: ["stdout", "out"],
  error: ["stderr", "err"],
  priority: ["prio"],
  rank: ["preferences"],
  initialdir: ["initial_dir", "iwd", "job_iwd"],
};

/** Settings with values that ask for nothing else than what happens here. */
const fulfilled: Readonly<Record<string, RegExp>> = {
  universe: /^(?:vanilla|5)$/i,
  should_transfer_files: /^(?:yes|true|if_needed)$/i,
  when_to_transfer_output: /^on_exit$/i,
  notification: /^never$/i,
};

export class TaskMaker {
  readonly #used = new Set<string>();
  #mustUnfold = false;
  #failed = false;

  constructor(
    private readonly settings: ReadonlyMap<string, Setting>,
    private readonly mentioned: ReadonlySet<string>,
    private readonly context: NodeContext,
    private readonly reports: Reports,
    private readonly expand: (text: string, place: Place) => string | undefined,
  ) {}

  /** `mustUnfold`: the task says $(Process) where a template cannot have a variable. */
  make(): { task: TaskTemplate; mustUnfold: boolean } | undefined {
    const executable = this.#value("executable");
    if (!executable || executable.text === "") {
      if (!this.#failed) this.#missingExecutable(executable?.place);
      return undefined;
    }
    const args = this.#read("arguments", readArguments) ?? [];
    const directory = this.#directory();
    const staged = this.#transfersExecutable(executable.text);
    const within = (name: string): string => (directory === "" || isAbsolute(name) ? name : `${directory}/${name}`);
    const file = (name: string): Template => literalFile(name, "Process");
    const inputs = staged ? [within(executable.text)] : [];
    const outputs: string[] = [];
    const task: TaskTemplate = {
      executable: [],
      shell: false,
      arguments: [],
      inputs: [],
      outputs: [],
      weight: 1,
      done: false,
    };
    this.#command(task, executable.text, args, directory, staged);
    const stdin = this.#stream("input");
    if (stdin && /\s/.test(stdin.text)) {
      // Thesis, Figure C.3: `input = B.out C.out`.
      const message = `"${shown(stdin.text)}" names several files; they are staged, and none of them is the standard input.`;
      this.#once(stdin.place, "several-inputs", message);
      inputs.push(...stdin.text.split(/\s+/).map(within));
    } else if (stdin) {
      inputs.push(within(stdin.text));
      task.stdin = file(within(stdin.text));
    }
    for (const [key, stream] of [
      ["output", "stdout"],
      ["error", "stderr"],
    ] as const) {
      const found = this.#stream(key);
      if (!found) continue;
      outputs.push(within(found.text));
      task[stream] = file(within(found.text));
    }
    inputs.push(...this.#files("transfer_input_files", "in").map(within));
    outputs.push(...this.#files("transfer_output_files", "out").map(within));
    task.inputs = [...new Set(inputs)].map(file);
    task.outputs = [...new Set(outputs)].map(file);
    const environment = this.#read("environment", readEnvironment);
    if (environment && environment.length > 0) {
      task.environment = environment.map(({ name, value }) => ({ name, value: literal(value, "Process") }));
    }
    this.#expressions(task);
    this.#resources(task);
    this.#numbers(task);
    task.at = this.context.place.source.span(this.context.place.start, this.context.place.end);
    this.#tellWhatIsLeft();
    return this.#failed ? undefined : { task, mustUnfold: this.#mustUnfold };
  }

  #command(task: TaskTemplate, executable: string, args: readonly string[], directory: string, staged: boolean): void {
    const [option, line] = args;
    if (directory !== "") {
      // Everything the job names is relative to its directory, so it is run there.
      const program = quoteWord(isAbsolute(executable) || !staged ? executable : `./${executable}`);
      const makeRunnable = staged ? `chmod +x ${program} && ` : "";
      task.executable = literal(`cd ${quoteWord(directory)} && ${makeRunnable}exec ${program}`, "Process");
      task.shell = true;
    } else if (executable === "/bin/sh" && option === "-c" && line !== undefined && args.length === 2) {
      task.executable = literal(line, "Process");
      task.shell = true;
      return;
    } else task.executable = literal(executable, "Process");
    task.arguments = literal(args.map(quoteWord).join(" "), "Process");
  }

  #directory(): string {
    const own = this.#value("initialdir");
    const given =
      own && isAbsolute(own.text) ? own.text : [this.context.directory, own?.text ?? ""].filter(Boolean).join("/");
    const parts = given.split("/").filter((part) => part !== "" && part !== ".");
    if (!isAbsolute(given) && !given.includes(hole)) return parts.join("/");
    const message = `The directory "${shown(given)}" is one of a certain machine; tasks run in directories of their own, so it is not kept.`;
    this.#once(own?.place ?? this.context.place, "not-kept", message);
    return "";
  }

  /** A program given by an absolute path is taken to be on the host; any other comes with the workflow. */
  #transfersExecutable(executable: string): boolean {
    const transfer = this.#value("transfer_executable");
    return !isAbsolute(executable) && !/^(?:false|no|0)$/i.test(transfer?.text ?? "");
  }

  #stream(key: "input" | "output" | "error"): { text: string; place: Place } | undefined {
    const value = this.#value(key);
    return value && value.text !== "" && value.text !== "/dev/null" ? value : undefined;
  }

  #files(key: string, direction: "in" | "out"): string[] {
    const value = this.#value(key);
    if (!value) return [];
    return readFileList(value.text).filter((name) => {
      if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name)) {
        const message = `"${shown(name)}" would be fetched by HTCondor itself; it is not kept. Give the file with the workflow.`;
        this.#once(value.place, "not-kept", message, name);
        return false;
      }
      if (name.endsWith("/")) {
        const message = `"${shown(name)}" is a whole directory; it is not kept. Name its files.`;
        this.#once(value.place, "not-kept", message, name);
        return false;
      }
      if (name.includes("/") && !isAbsolute(name)) {
        const last = name.slice(name.lastIndexOf("/") + 1);
        const message =
          direction === "in"
            ? `HTCondor puts "${shown(name)}" into the job's directory as "${shown(last)}"; here it keeps its path.`
            : `HTCondor brings "${shown(name)}" back as "${shown(last)}"; here it keeps its path.`;
        this.#once(value.place, "path-kept", message, name);
      }
      return true;
    });
  }

  #expressions(task: TaskTemplate): void {
    for (const [key, field] of [
      ["requirements", "requirement"],
      ["rank", "rank"],
    ] as const) {
      const value = this.#value(key);
      if (!value || value.text === "") continue;
      if (value.text.includes(hole)) {
        this.#mustUnfold = true;
        continue;
      }
      const parsed = parseExpression(value.text);
      if (parsed.ok) {
        task[field] = { text: value.text, at: value.place.source.span(value.place.start, value.place.end) };
        continue;
      }
      const column = parsed.problem.at ? ` (character ${parsed.problem.at.column} of it)` : "";
      this.#fail(value.place, "bad-expression", `\`${key}\` is not an expression${column}: ${parsed.problem.message}`);
    }
  }

  #resources(task: TaskTemplate): void {
    const resources: NonNullable<TaskTemplate["resources"]> = {};
    const cores = this.#number("request_cpus", /^[1-9]\d{0,5}$/);
    const gpus = this.#number("request_gpus", /^\d{1,6}$/);
    const seconds = this.#number("allowed_job_duration", /^\d{1,12}$/);
    const memory = this.#size("request_memory", 1024 ** 2);
    const disk = this.#size("request_disk", 1024);
    if (cores !== undefined) resources.cores = cores;
    if (gpus !== undefined) resources.gpus = gpus;
    if (seconds !== undefined) resources.wallSeconds = seconds;
    if (memory !== undefined) resources.memoryBytes = memory;
    if (disk !== undefined) resources.diskBytes = disk;
    if (Object.keys(resources).length > 0) task.resources = resources;
  }

  #numbers(task: TaskTemplate): void {
    const priority = this.#number("priority", /^[+-]?\d{1,9}$/);
    if (priority !== undefined) task.priority = priority;
    const times = this.#number("max_retries", /^\d{1,9}$/);
    if (times !== undefined) task.retries = { times };
  }

  #number(key: string, form: RegExp): number | undefined {
    const value = this.#value(key);
    if (!value || value.text === "") return undefined;
    if (value.text.includes(hole)) this.#mustUnfold = true;
    else if (form.test(value.text)) return Number(value.text);
    else
      this.#once(
        value.place,
        "not-kept",
        `\`${key}\` is kept only if it is a plain number; "${shown(value.text)}" is not kept.`,
      );
    return undefined;
  }

  #size(key: string, unit: number): number | undefined {
    const value = this.#value(key);
    if (!value || value.text === "") return undefined;
    const size = readSize(value.text, unit);
    if (value.text.includes(hole)) this.#mustUnfold = true;
    else if (size === undefined) {
      this.#once(
        value.place,
        "not-kept",
        `\`${key}\` is kept only if it is a size such as 2G; "${shown(value.text)}" is not kept.`,
      );
    }
    return size;
  }

  #read<T>(key: string, read: (text: string) => Read<T>): T | undefined {
    const value = this.#value(key);
    if (!value) return undefined;
    const result = read(value.text);
    if (result.ok) return result.value;
    this.#fail(value.place, `bad-${key}`, result.message);
    return undefined;
  }

  /** The setting under any of its names, with its macros filled in. */
  #value(key: string): { text: string; place: Place } | undefined {
    for (const name of [key, ...(aliases[key] ?? [])]) {
      this.#used.add(name);
      const setting = this.settings.get(name);
      if (!setting) continue;
      const text = this.expand(setting.value, setting.place);
      if (text === undefined) this.#failed = true;
      return { text: (text ?? "").trim(), place: setting.place };
    }
    return undefined;
  }

  #missingExecutable(place: Place | undefined): void {
    const message = `The description of "${this.context.name}" names no program: \`executable\` is missing.`;
    this.reports.error("missing-executable", message, place ?? this.context.place);
  }

  #tellWhatIsLeft(): void {
    for (const [name, { key, value, place }] of this.settings) {
      if (this.#used.has(name) || this.mentioned.has(name)) continue;
      if (Object.hasOwn(fulfilled, name) && fulfilled[name]?.test(value)) continue;
      if (this.context.variables.some((variable) => variable.name.toLowerCase() === name)) {
        this.#once(place, "unused-variable", `Nothing in the description of "${this.context.name}" uses $(${key}).`);
      } else this.#once(place, "not-kept", `\`${key}\` is not kept: it says nothing to a grid other than HTCondor.`);
    }
  }

  #fail(place: Place, code: string, message: string): void {
    this.#failed = true;
    this.reports.errorOnce(`${code}:${place.source.prefix(place.start)}${place.start}`, code, message, place);
  }

  #once(place: Place, code: string, message: string, detail = ""): void {
    this.reports.warnOnce(`${code}:${place.source.prefix(place.start)}${place.start}:${detail}`, code, message, place);
  }
}

function isAbsolute(name: string): boolean {
  return name.startsWith("/") || /^[A-Za-z]:[\\/]/.test(name);
}

function shown(text: string): string {
  const readable = text.replaceAll(hole, "$(Process)");
  return readable.length > 80 ? `${readable.slice(0, 80)}…` : readable;
}
