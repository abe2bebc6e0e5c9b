/**
 * One JSDL job description → one task. In plain JSDL `Input`, `Output` and `Error` are the three streams and files are
 * named by `DataStaging`; in the GRAND thesis' extension (Figure F.12) `Input` and `Output` are data files.
 */
import { literalTask } from "@/core/languages/literal-task";
import { literal } from "@/core/languages/literals";
import { child, childrenOf, is, textOf, type XmlFields } from "@/core/languages/xml/fields";
import type { XmlElement } from "@/core/languages/xml/read";
import type { TaskTemplate } from "@/core/workflow/application";
import { readResources } from "./resources";

export interface Dialect {
  /** `Input` and `Output` are data files, any number of them. */
  dataFiles: boolean;
}

/** What edges and clusters call the job; absent where it has no identifier. */
export interface ReadJob {
  task: TaskTemplate;
  id: string | undefined;
}

const posixKnown = [
  "Executable",
  "Argument",
  "Input",
  "Output",
  "Error",
  "Environment",
  "WallTimeLimit",
  "MemoryLimit",
  "WorkingDirectory",
];

export function readJob(fields: XmlFields, job: XmlElement, fallbackName: string, { dataFiles }: Dialect): ReadJob {
  const identification = child(job, "JobIdentification");
  const id = identification && (textOf(identification, "JobUID") ?? textOf(identification, "jobID"));
  const name = (identification && textOf(identification, "JobName")) ?? id ?? fallbackName;
  const application = child(job, "Application");
  const posix = application && (child(application, "POSIXApplication") ?? child(application, "HPCProfileApplication"));
  const executable = posix && textOf(posix, "Executable");
  if (executable === undefined) {
    const message = `Job “${name}” names no program (Executable); its name stands for one, so it can be shown and simulated.`;
    fields.warning("no-program", message, application ?? job);
  }
  const applicationName = application && textOf(application, "ApplicationName");
  const texts = (local: string): string[] =>
    posix ? childrenOf(posix, local).flatMap(({ text }) => (text === "" ? [] : [text])) : [];
  const task = literalTask({
    name,
    executable: executable ?? applicationName ?? name,
    arguments: posix ? childrenOf(posix, "Argument").map(({ text }) => text) : [],
    ...(dataFiles && { inputs: texts("Input"), outputs: texts("Output") }),
    at: fields.span(job),
  });
  if (posix) {
    tellShell(task, posix);
    readPosix(fields, posix, task, dataFiles);
  }
  if (identification) readIdentification(fields, identification, task);
  readStaging(fields, job, task);
  readResources(fields, job, task);
  fields.tellOthers(job, ["JobIdentification", "Application", "Resources", "DataStaging", "Depend"]);
  if (application) {
    fields.tellOthers(application, ["ApplicationName", "POSIXApplication", "HPCProfileApplication"]);
  }
  return { task, id };
}

/** `/bin/sh -c line` is a command line, which is how one is written. */
function tellShell(task: TaskTemplate, posix: XmlElement): void {
  const [option, line, ...others] = childrenOf(posix, "Argument").map(({ text }) => text);
  if (textOf(posix, "Executable") !== "/bin/sh" || option !== "-c" || !line || others.length > 0) return;
  task.shell = true;
  task.executable = literal(line);
  task.arguments = [];
}

function readPosix(fields: XmlFields, posix: XmlElement, task: TaskTemplate, dataFiles: boolean): void {
  fields.tellOthers(posix, posixKnown);
  const directory = child(posix, "WorkingDirectory");
  if (directory) {
    const message = "WorkingDirectory is not kept: a task has a directory of its own on its host.";
    fields.warnOnce("WorkingDirectory", "not-kept", message, directory);
  }
  const streams = dataFiles
    ? ([["Error", "stderr"]] as const)
    : ([
        ["Input", "stdin"],
        ["Output", "stdout"],
        ["Error", "stderr"],
      ] as const);
  for (const [local, stream] of streams) {
    const file = textOf(posix, local);
    if (file !== undefined) task[stream] = literal(file);
  }
  const environment = childrenOf(posix, "Environment").flatMap((variable) => {
    const name = variable.attributes.get("name")?.value ?? "";
    if (name !== "") return [{ name, value: literal(variable.text) }];
    fields.warning("no-name", "A variable without a name is left out: the attribute “name” is missing.", variable);
    return [];
  });
  if (environment.length > 0) task.environment = environment;
}

function readIdentification(fields: XmlFields, identification: XmlElement, task: TaskTemplate): void {
  fields.tellOthers(identification, ["JobName", "JobUID", "jobID", "JobWeight"]);
  const weight = child(identification, "JobWeight");
  if (!weight) return;
  const value = Number(weight.text);
  if (weight.text !== "" && value >= 0 && value < Number.POSITIVE_INFINITY) task.weight = value;
  else fields.error("bad-weight", `The weight of a job is a number from 0 on, not “${weight.text}”.`, weight);
}

/** A file with a source is brought before the job, one with a target afterwards; with neither it is just there. */
function readStaging(fields: XmlFields, job: XmlElement, task: TaskTemplate): void {
  for (const staging of childrenOf(job, "DataStaging")) {
    fields.tellOthers(staging, [
      "FileName",
      "Source",
      "Target",
      "CreationFlag",
      "DeleteOnTermination",
      "FilesystemName",
    ]);
    const name = textOf(staging, "FileName");
    if (name === undefined) {
      fields.error("no-file-name", "DataStaging has no FileName.", staging);
      continue;
    }
    for (const [local, files] of [
      ["Source", task.inputs],
      ["Target", task.outputs],
    ] as const) {
      const end = child(staging, local);
      if (!end) continue;
      files.push(literal(name.replaceAll(";", "\\;")));
      const address = end.children.find((one) => is(one, "URI"));
      if (address) {
        const message =
          "Addresses (URI) in DataStaging are not kept: files come with the workflow and results are fetched from the portal.";
        fields.warnOnce("URI", "not-kept", message, address);
      }
    }
  }
}
