/**
 * XPWSL → the application. The assignment section says what each task runs; the data link section orders them: the tasks
 * of a block wait for all of the block before. `multi` is how often a task is there at a time. Which task writes a file
 * that a later block reads is not told, so such a file is no file of ours: the order of the blocks is what counts.
 */
import type { ParsedText } from "@/core/languages/format";
import { literalTask } from "@/core/languages/literal-task";
import { hole, literal, literalFile } from "@/core/languages/literals";
import { childrenOf, is, textOf, XmlFields } from "@/core/languages/xml/fields";
import type { XmlElement } from "@/core/languages/xml/read";
import type { Application, Dependency, TaskGroup } from "@/core/workflow/application";

const maxCopies = 1_000_000;
const maxDependencies = 5_000_000;
const copy = "COPY";

/** One mention of a task in a block, with what follows it. */
interface Mention {
  id: string;
  copies: number;
  inputs: string[];
  at: XmlElement;
}

export function parseXpwsl(text: string): ParsedText {
  const fields = new XmlFields(text, "xpwsl");
  const application: Application = { groups: [], transient: [] };
  const header = fields.find("header");
  if (header) fields.warning("not-kept", "What the header says of the application is not kept.", header);
  const programs = readAssignment(fields);
  const link = fields.find("datalink");
  const blocks = link ? blocksOf(fields, link) : [];
  if (blocks.length === 0) {
    fields.error(
      "no-block",
      "There is no block in a <datalink> section: nothing says in which order to run.",
      link ?? fields.roots[0] ?? { start: 0, end: 0 },
    );
  }
  const used = new Set<string>();
  const dependencies: Dependency[] = [];
  let before: string[] = [];
  for (const [index, block] of blocks.entries()) {
    const names = block.flatMap((mention) => addTask(fields, application, programs, mention, index === 0, used));
    if (dependencies.length + before.length * names.length > maxDependencies) {
      fields.error("too-many", `There are more than ${maxDependencies} dependencies between blocks.`, block[0]!.at);
      break;
    }
    for (const after of names) for (const earlier of before) dependencies.push({ before: earlier, after });
    before = names;
  }
  if (dependencies.length > 0) application.dependencies = dependencies;
  return fields.result(application);
}

function readAssignment(fields: XmlFields): Map<string, string> {
  const programs = new Map<string, string>();
  const assignment = fields.find("assignment");
  for (const task of assignment ? childrenOf(assignment, "task") : []) {
    const id = task.attributes.get("id")?.value.trim() ?? "";
    const code = textOf(task, "code");
    fields.tellOtherAttributes(task, ["id"]);
    fields.tellOthers(task, ["path", "code"]);
    if (id === "" || code === undefined) {
      fields.error("incomplete-task", "A task needs an id and the name of its program (<code>).", task);
      continue;
    }
    if (programs.has(id)) fields.error("duplicate-id", `There are two tasks with the id “${id}”.`, task);
    const path = textOf(task, "path")?.replace(/\/+$/, "");
    programs.set(id, path === undefined ? code : `${path}/${code}`);
  }
  return programs;
}

function blocksOf(fields: XmlFields, link: XmlElement): Mention[][] {
  fields.tellOthers(link, ["block"]);
  return childrenOf(link, "block").flatMap((block) => {
    const type = block.attributes.get("type")?.value.trim().toLowerCase() ?? "sequential";
    if (type !== "sequential") {
      fields.error("block-type", `Blocks of the type “${type}” are not read; sequential ones are.`, block);
      return [];
    }
    const mentions: Mention[] = [];
    for (const element of block.children) readInBlock(fields, element, mentions);
    if (mentions.length === 0) fields.warning("empty-block", "This block has no task.", block);
    return mentions.length === 0 ? [] : [mentions];
  });
}

/** `multi` and `input` belong to the task named last. */
function readInBlock(fields: XmlFields, element: XmlElement, mentions: Mention[]): void {
  if (is(element, "task_id")) {
    mentions.push({ id: element.text, copies: 1, inputs: [], at: element });
    return;
  }
  const mention = mentions.at(-1);
  if (!mention) fields.error("no-task", `<${element.name}> stands before any <task_id>.`, element);
  else if (is(element, "input")) {
    if (element.text !== "") mention.inputs.push(element.text);
  } else if (is(element, "multi")) {
    const copies = Number(element.text);
    if (Number.isInteger(copies) && copies >= 1 && copies <= maxCopies) mention.copies = copies;
    else fields.error("bad-multi", `<multi> is a whole number from 1 to ${maxCopies}, not “${element.text}”.`, element);
  } else {
    fields.warnOnce(
      element.local,
      "not-kept",
      `<${element.name}> is not kept: nothing here corresponds to it.`,
      element,
    );
  }
}

/** Adds it to the application and tells the names of its tasks. */
function addTask(
  fields: XmlFields,
  application: Application,
  programs: ReadonlyMap<string, string>,
  { id, copies, inputs, at }: Mention,
  first: boolean,
  used: Set<string>,
): string[] {
  const program = programs.get(id);
  if (program === undefined) {
    fields.error("unknown-task", `The assignment section has no task “${id}”.`, at);
    return [];
  }
  let name = id;
  for (let again = 2; used.has(name); again++) name = `${id}.again${again}`;
  used.add(name);
  const task = literalTask({ name, executable: program, arguments: inputs, at: fields.span(at) });
  if (first) task.inputs = inputs.map((file) => literalFile(file));
  else if (inputs.length > 0) {
    const message = `XPWSL does not say which task writes ${inputs[0]}; the block waits for the one before, and files are not brought from task to task.`;
    fields.warnOnce("files", "files-not-brought", message, at);
  }
  const group: TaskGroup = { loops: [], task };
  application.groups.push(group);
  if (copies === 1) return [name];
  group.loops = [{ variable: copy, values: { from: 1, to: copies, step: 1 } }];
  task.name = literal(`${name}.${hole}`, copy);
  return Array.from({ length: copies }, (_, index) => `${name}.${index + 1}`);
}
