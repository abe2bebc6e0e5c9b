/**
 * GXML → the application. A job waits for those its `flow:Depend flow:success` names, joined by `&`; what it runs is JSDL,
 * of which the thesis shows only the place.
 */
import type { ParsedText } from "@/core/languages/format";
import { readJob } from "@/core/languages/jsdl/job";
import { childrenOf, is, XmlFields } from "@/core/languages/xml/fields";
import type { XmlAttribute, XmlElement } from "@/core/languages/xml/read";
import type { Application, Dependency } from "@/core/workflow/application";
import { literal } from "../literals";

export function parseGxml(text: string): ParsedText {
  const fields = new XmlFields(text, "gxml");
  const application: Application = { groups: [], transient: [] };
  const workflow = fields.find("Workflow");
  if (!workflow) {
    fields.error("no-workflow", "There is no <flow:Workflow> in this text.", fields.roots[0] ?? { start: 0, end: 0 });
    return fields.result(application);
  }
  const dependencies: Dependency[] = [];
  const jobs = childrenOf(workflow, "Job");
  if (jobs.length === 0) fields.error("no-job", "There is no <Job> in this workflow.", workflow);
  for (const [index, job] of jobs.entries()) readOne(fields, job, index, application, dependencies);
  if (dependencies.length > 0) application.dependencies = dependencies;
  fields.tellOthers(workflow, ["Job"]);
  checkStart(fields, workflow, jobs, dependencies);
  return fields.result(application);
}

function readOne(
  fields: XmlFields,
  job: XmlElement,
  index: number,
  application: Application,
  dependencies: Dependency[],
): void {
  const id = job.attributes.get("id")?.value.trim() || String(index + 1);
  if (!job.attributes.has("id")) fields.warning("no-id", `This job has no id; it is called ${id}.`, job);
  if (/^\s*\.\.\.\s*$/.test(job.text)) {
    const message = "“...” stands where the job would be described: what it runs is not told.";
    fields.warnOnce("left out", "left-out", message, job);
  }
  const { task } = readJob(fields, job, id, { dataFiles: true });
  // Edges name the id; a JobName beside it would be another name for the same.
  task.name = literal(id);
  application.groups.push({ loops: [], task });
  for (const depend of childrenOf(job, "Depend")) {
    fields.tellOtherAttributes(depend, ["success"]);
    const success = depend.attributes.get("success");
    if (!success) fields.warning("no-condition", 'This Depend names no job (success="…"); it is left out.', depend);
    else
      for (const before of named(fields, success)) dependencies.push({ before, after: id, at: fields.span(success) });
  }
}

function named(fields: XmlFields, success: XmlAttribute): string[] {
  if (/[|!]/.test(success.value)) {
    const message = `“${success.value}” asks for one job or another, or for a failure; a task here waits for all it names.`;
    fields.error("not-and", message, success);
    return [];
  }
  return success.value.split(/&|,|\s/).filter((name) => name !== "");
}

/** `flow:start` says what the edges say as well. */
function checkStart(
  fields: XmlFields,
  workflow: XmlElement,
  jobs: readonly XmlElement[],
  dependencies: readonly Dependency[],
): void {
  const start = workflow.attributes.get("start");
  fields.tellOtherAttributes(workflow, ["start"]);
  if (!start) return;
  const name = start.value.trim();
  if (!jobs.some((job) => is(job, "Job") && job.attributes.get("id")?.value.trim() === name)) {
    fields.warning("unknown-start", `The workflow is to start with “${name}”, but there is no such job.`, start);
  } else if (dependencies.some(({ after }) => after === name)) {
    fields.warning(
      "late-start",
      `The workflow is to start with “${name}”, but that waits for other jobs; they count.`,
      start,
    );
  }
}
