/**
 * A WfFormat instance → the application. Tasks are called by their ids; the `name` of a task, which says what kind of
 * task it is, becomes its category. Recorded run times and machines are kept for simulation, the run time is also the
 * weight. Without a recorded command the name stands for the program: such a workflow can be shown and simulated.
 */
import type { ParsedText } from "@/core/languages/format";
import { literal, literalFile } from "@/core/languages/literals";
import { SourceText } from "@/core/languages/source-text";
import { ProblemList } from "@/core/problem-list";
import type { Application, Dependency, Machine, TaskTemplate } from "@/core/workflow/application";
import { quoteWord } from "@/core/workflow/shell-words";
import { Fields } from "./fields";
import { type JsonObject, readJson } from "./json";

const maxCharacters = 128 * 1024 * 1024;

interface ReadTask {
  id: string;
  task: TaskTemplate;
  inputs: string[];
  outputs: string[];
  json: JsonObject;
}

export function parseWfFormat(text: string): ParsedText {
  const problems = new ProblemList();
  const fields = new Fields(new SourceText(text), problems);
  const application: Application = { groups: [], transient: [] };
  if (text.length > maxCharacters) {
    const message = `The text is too long: more than ${maxCharacters / 1024 / 1024} million characters.`;
    fields.error("too-large", message, { start: 0, end: 0 });
    return { application, problems: problems.toArray() };
  }
  const { value, fault, repeated } = readJson(text);
  for (const { name, start, end } of repeated) {
    fields.warning("repeated", `"${name}" is there twice in one object; the last one counts.`, { start, end });
  }
  if (fault) fields.error("syntax", fault.message, fault);
  else if (value?.is === "object") new Instance(fields, application).read(value);
  else if (value)
    fields.error("wrong-type", "A WfFormat instance is one JSON object.", { start: value.start, end: value.start + 1 });
  return { application, problems: problems.toArray() };
}

class Instance {
  readonly #fields: Fields;
  readonly #application: Application;
  readonly #tasks = new Map<string, ReadTask>();

  constructor(fields: Fields, application: Application) {
    this.#fields = fields;
    this.#application = application;
  }

  read(root: JsonObject): void {
    const fields = this.#fields;
    this.#version(root);
    const about = ["name", "description", "createdAt", "author", "runtimeSystem"].filter((key) =>
      root.members.has(key),
    );
    const first = about[0] === undefined ? undefined : root.members.get(about[0]);
    if (first) {
      const list = about.map((key) => `\`${key}\``).join(", ");
      fields.warning(
        "not-kept",
        `What the file says of itself (${list}) is not part of the workflow and not kept.`,
        first,
      );
    }
    fields.tellOthers(root, ["schemaVersion", "workflow", ...about], "instance");
    const workflow = fields.object(root, "workflow", "instance", true);
    if (!workflow) return;
    const specification = fields.object(workflow, "specification", "workflow", true);
    const execution = fields.object(workflow, "execution", "workflow");
    fields.tellOthers(workflow, ["specification", "execution"], "workflow");
    if (!specification) return;
    this.#specification(specification);
    if (execution) this.#execution(execution);
    this.#commands();
    this.#dependencies();
    for (const { task } of this.#tasks.values()) this.#application.groups.push({ loops: [], task });
  }

  #version(root: JsonObject): void {
    const version = this.#fields.string(root, "schemaVersion", "instance", true);
    const value = root.members.get("schemaVersion");
    if (version === undefined || !value || version === "1.5" || version === "1.6") return;
    const message = `This is WfFormat ${version}; versions 1.5 and 1.6 are read. It is read as if it were one of them.`;
    this.#fields.warning("version", message, value);
  }

  #specification(specification: JsonObject): void {
    const fields = this.#fields;
    const path = "specification";
    // Metrics (1.6) only sum up what the tasks and files say.
    fields.tellOthers(specification, ["tasks", "files", "metrics"], path);
    for (const json of fields.objects(specification, "tasks", path, true)) {
      if (fields.isFull) return;
      this.#task(json);
    }
    const sizes = new Map<string, number>();
    for (const file of fields.objects(specification, "files", path)) {
      if (fields.isFull) return;
      const id = fields.string(file, "id", "file", true);
      const size = fields.number(file, "sizeInBytes", "file", 0, true);
      fields.tellOthers(file, ["id", "sizeInBytes"], "file");
      if (id !== undefined && size !== undefined) sizes.set(this.#fileName(id, file), size);
    }
    if (sizes.size > 0) this.#application.fileSizes = Object.fromEntries(sizes);
  }

  #task(json: JsonObject): undefined {
    const fields = this.#fields;
    const id = fields.string(json, "id", "task", true);
    const name = fields.string(json, "name", "task", true);
    fields.tellOthers(json, ["id", "name", "parents", "children", "inputFiles", "outputFiles"], "task");
    if (id === undefined || name === undefined) return;
    if (id === "") return fields.error("empty-id", "The id of a task must not be empty.", json.members.get("id")!);
    if (this.#tasks.has(id))
      return fields.error("duplicate-id", `There are two tasks with the id "${id}".`, json.members.get("id")!);
    const files = (member: string): string[] =>
      fields.strings(json, member, "task").map((file) => this.#fileName(file.value, file));
    const inputs = files("inputFiles");
    const outputs = files("outputFiles");
    const task: TaskTemplate = {
      name: literal(id),
      executable: literal(name === "" ? id : name),
      shell: false,
      arguments: [],
      inputs: inputs.map((file) => literalFile(file)),
      outputs: outputs.map((file) => literalFile(file)),
      weight: 1,
      done: false,
      at: fields.span({ start: json.start, end: json.start + 1 }),
    };
    if (name !== id && name !== "") task.category = name;
    this.#tasks.set(id, { id, task, inputs, outputs, json });
  }

  /** Files of a task are in its own directory, so an absolute id, which some recordings have, loses its slash. */
  #fileName(id: string, at: { start: number; end: number }): string {
    if (!id.startsWith("/")) return id;
    const message = `File ids such as "${id}" are absolute; here they are read without the first slash.`;
    this.#fields.warnOnce("absolute", "absolute-file", message, at);
    return id.replace(/^\/+/, "");
  }

  readonly #withCommand = new Set<string>();

  #execution(execution: JsonObject): void {
    const fields = this.#fields;
    const makespan = fields.number(execution, "makespanInSeconds", "execution", 0) ?? 0;
    // Where a run took no time at all, nothing was recorded: the file is a description.
    const told = makespan > 0 ? ["executedAt", "makespanInSeconds"].filter((key) => execution.members.has(key)) : [];
    const first = told[0] === undefined ? undefined : execution.members.get(told[0]);
    if (first) {
      fields.warning("not-kept", "When the recorded run was and how long it took altogether is not kept.", first);
    }
    fields.tellOthers(execution, ["makespanInSeconds", "executedAt", "tasks", "machines", "metrics"], "execution");
    for (const json of fields.objects(execution, "tasks", "execution", true)) {
      if (fields.isFull) return;
      this.#executed(json, makespan);
    }
    const machines = fields.objects(execution, "machines", "execution").flatMap((json) => this.#machine(json) ?? []);
    if (machines.length > 0) this.#application.machines = machines;
  }

  #executed(json: JsonObject, makespan: number): undefined {
    const fields = this.#fields;
    const path = "execution.task";
    const id = fields.string(json, "id", path, true);
    const known = [
      "id",
      "runtimeInSeconds",
      "command",
      "coreCount",
      "memoryInBytes",
      "priority",
      "machines",
      "machine",
    ];
    fields.tellOthers(json, known, path);
    if (id === undefined) return;
    const found = this.#tasks.get(id);
    if (!found)
      return fields.error(
        "unknown-task",
        `There is no task with the id "${id}" in the specification.`,
        json.members.get("id")!,
      );
    const { task } = found;
    const seconds = fields.number(json, "runtimeInSeconds", path, 0, true);
    if (seconds !== undefined && (seconds > 0 || makespan > 0)) {
      task.recorded = { seconds };
      if (seconds > 0) task.weight = seconds;
    }
    const machine = this.#machineOf(json, path);
    if (machine !== undefined) task.recorded = { ...task.recorded, machine };
    const cores = fields.number(json, "coreCount", path, 0);
    const memoryBytes = fields.number(json, "memoryInBytes", path, 0);
    if (cores !== undefined && cores > 0) task.resources = { ...task.resources, cores };
    if (memoryBytes !== undefined && memoryBytes > 0) task.resources = { ...task.resources, memoryBytes };
    const priority = fields.number(json, "priority", path, Number.MIN_SAFE_INTEGER);
    if (priority !== undefined) task.priority = priority;
    this.#command(json, found);
  }

  /** 1.5 has a list of machines; its schema also knew a single one. */
  #machineOf(json: JsonObject, path: string): string | undefined {
    const single = json.members.get("machine");
    if (single) return this.#fields.string(json, "machine", path);
    const [first, second] = this.#fields.strings(json, "machines", path);
    if (second) {
      const message = "Of the machines a task ran on only the first is kept.";
      this.#fields.warnOnce("machines", "not-kept", message, second);
    }
    return first?.value;
  }

  #command(json: JsonObject, { id, task }: ReadTask): void {
    const fields = this.#fields;
    const command = fields.object(json, "command", "execution.task");
    if (!command) return;
    fields.tellOthers(command, ["program", "arguments"], "command");
    const program = fields.string(command, "program", "command");
    const words = fields.strings(command, "arguments", "command").map(({ value }) => value);
    if (program === undefined || program === "") return;
    this.#withCommand.add(id);
    const [option, line] = words;
    if (program === "/bin/sh" && option === "-c" && line !== undefined && words.length === 2) {
      task.shell = true;
      task.executable = literal(line);
    } else {
      task.executable = literal(program);
      task.arguments = literal(words.map(quoteWord).join(" "));
    }
  }

  #machine(json: JsonObject): Machine | undefined {
    const fields = this.#fields;
    const name = fields.string(json, "nodeName", "machine", true);
    const system = fields.string(json, "system", "machine");
    const architecture = fields.string(json, "architecture", "machine");
    const memoryBytes = fields.number(json, "memoryInBytes", "machine", 0);
    const cpu = fields.object(json, "cpu", "machine");
    const cores = cpu && fields.number(cpu, "coreCount", "cpu", 0);
    const coreMhz = cpu && fields.number(cpu, "speedInMHz", "cpu", 0);
    fields.tellOthers(json, ["nodeName", "system", "architecture", "memoryInBytes", "cpu"], "machine");
    if (cpu) fields.tellOthers(cpu, ["coreCount", "speedInMHz"], "cpu");
    if (name === undefined) return undefined;
    const machine: Machine = { name };
    if (cores !== undefined) machine.cores = cores;
    if (coreMhz !== undefined) machine.coreMhz = coreMhz;
    if (memoryBytes !== undefined) machine.memoryBytes = memoryBytes;
    if (architecture !== undefined) machine.architecture = architecture;
    if (system !== undefined) machine.system = system;
    return machine;
  }

  #commands(): void {
    const without = [...this.#tasks.values()].filter(({ id }) => !this.#withCommand.has(id));
    const [first] = without;
    if (!first) return;
    const whose = without.length === this.#tasks.size ? "The tasks have" : `${without.length} tasks have`;
    const message = `${whose} no recorded command, so their names stand for the programs: they can be shown and simulated, hardly run.`;
    this.#fields.warning("no-command", message, { start: first.json.start, end: first.json.start + 1 });
  }

  /** Parents and children, as far as no file says the same already. */
  #dependencies(): void {
    const fields = this.#fields;
    const producers = new Map<string, string>();
    for (const { id, outputs } of this.#tasks.values()) for (const file of outputs) producers.set(file, id);
    const known = new Set<string>();
    const dependencies: Dependency[] = [];
    const add = (before: string, after: string, at: { start: number; end: number }): void => {
      const key = `${before}\n${after}`;
      if (known.has(key)) return;
      known.add(key);
      const inputs = this.#tasks.get(after)?.inputs ?? [];
      if (!inputs.some((file) => producers.get(file) === before))
        dependencies.push({ before, after, at: fields.span(at) });
    };
    for (const { id, json } of this.#tasks.values()) {
      if (fields.isFull) return;
      for (const parent of this.#relatives(json, "parents", id)) add(parent.value, id, parent);
    }
    for (const { id, json } of this.#tasks.values()) {
      if (fields.isFull) return;
      for (const child of this.#relatives(json, "children", id)) {
        if (!known.has(`${id}\n${child.value}`)) {
          const message = `"${id}" has "${child.value}" among its children, but is not among the parents of "${child.value}"; the dependency counts.`;
          fields.warning("one-sided", message, child);
        }
        add(id, child.value, child);
      }
    }
    if (dependencies.length > 0) this.#application.dependencies = dependencies;
  }

  #relatives(json: JsonObject, member: "parents" | "children", id: string) {
    return this.#fields.strings(json, member, "task").filter((relative) => {
      if (relative.value === id) this.#fields.error("own-parent", `The task "${id}" cannot wait for itself.`, relative);
      else if (this.#tasks.has(relative.value)) return true;
      else if (relative.value !== "") {
        this.#fields.error("unknown-task", `There is no task with the id "${relative.value}".`, relative);
      }
      return false;
    });
  }
}
