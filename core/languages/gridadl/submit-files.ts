/**
 * A `-e` that names a Condor submit file that came along (thesis, Figure F.8: `task A -e A.sub -i data.in -o a.out`):
 * the file says what the task runs and with what, the line adds its own files, weight and requirement.
 */
import { SubmitEvaluation } from "@/core/languages/condor-submit/evaluation";
import { type Submit, SubmitReader } from "@/core/languages/condor-submit/file";
import { filesWithoutNul, Reports, Source } from "@/core/languages/condor-submit/source";
import type { Surroundings } from "@/core/languages/format";
import type { ProblemList } from "@/core/problem-list";
import type { TaskTemplate, Template } from "@/core/workflow/application";
import { bothHold } from "@/core/workflow/tasks";
import type { Place } from "./ast";

/** Only such files are asked for: any other program that came along is a program. */
const submitFileName = /\.(?:sub|submit|condor|cmd)$/i;
/** And they are descriptions only if they read like one. */
const saysWhatToRun = /^[ \t]*(?:executable[ \t]*=|queue\b)/im;

export class SubmitFiles {
  readonly #main: Source;
  readonly #reports: Reports;
  readonly #readFile: (name: string) => string | undefined;
  readonly #reader: SubmitReader;
  readonly #read = new Map<string, Submit | undefined>();

  constructor(text: string, problems: ProblemList, readFile: NonNullable<Surroundings["readFile"]>) {
    this.#main = new Source(text);
    this.#reports = new Reports(problems);
    this.#readFile = filesWithoutNul(readFile);
    this.#reader = new SubmitReader(this.#reports, this.#readFile);
  }

  /**
   * The task as the description it names says, or the task itself if it names none. Nothing if the description is wrong,
   * which is then reported. `number` is the task's place among the others, from 1.
   */
  complete(task: TaskTemplate, { start, end }: Place, number: number): TaskTemplate | undefined {
    const file = task.shell ? undefined : constantText(task.executable);
    if (file === undefined || !submitFileName.test(file)) return task;
    const place = { source: this.#main, start, end };
    const submit = this.#submit(file, place);
    if (!submit) return task;
    const name = (task.name && constantText(task.name)) ?? file;
    const context = { name, cluster: number, variables: [], directory: "", place };
    const evaluation = new SubmitEvaluation(submit, context, this.#reports);
    const [group] = evaluation.groups();
    if (evaluation.taskCount !== 1) {
      const message = `A task is one job; "${file}" queues ${evaluation.taskCount}. Use foreach for several.`;
      this.#reports.errorOnce(`queue:${file}`, "task-queues", message, place);
      return undefined;
    }
    return group && joined(task, group.task);
  }

  #submit(file: string, place: { source: Source; start: number; end: number }): Submit | undefined {
    if (this.#read.has(file)) return this.#read.get(file);
    const text = this.#readFile(file);
    let submit: Submit | undefined;
    if (text !== undefined && saysWhatToRun.test(text)) {
      const source = new Source(text, { file, at: place.source.span(place.start, place.end) });
      submit = this.#reader.read({ source, start: 0, end: text.length });
    }
    this.#read.set(file, submit);
    return submit;
  }
}

function joined(line: TaskTemplate, described: TaskTemplate): TaskTemplate {
  const task: TaskTemplate = {
    ...described,
    inputs: union(described.inputs, line.inputs),
    outputs: union(described.outputs, line.outputs),
    weight: line.weight,
    done: line.done,
  };
  if (line.name) task.name = line.name;
  else delete task.name;
  if (line.before) task.before = line.before;
  if (line.afterwards) task.afterwards = line.afterwards;
  if (line.adaptive) task.adaptive = line.adaptive;
  if (line.arguments.length > 0) task.arguments = line.arguments;
  const requirement = bothHold(described.requirement?.text, line.requirement?.text);
  if (line.requirement && requirement !== undefined) task.requirement = { ...line.requirement, text: requirement };
  return task;
}

/** The files of both, each once, however it is quoted. */
function union(first: readonly Template[], second: readonly Template[]): Template[] {
  const known = new Map<string, Template>();
  for (const file of [...first, ...second]) {
    const key = file.map((piece) => ("text" in piece ? piece.text : `\0${piece.variable}`)).join("");
    if (!known.has(key)) known.set(key, file);
  }
  return [...known.values()];
}

function constantText(template: Template): string | undefined {
  const texts = template.map((piece) => ("text" in piece ? piece.text : undefined));
  return texts.includes(undefined) ? undefined : texts.join("");
}
