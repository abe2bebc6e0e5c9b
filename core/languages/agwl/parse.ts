/**
 * AGWL → the application. An activity is a task, its dataIn and dataOut are its files, and the edges follow from them; a
 * sub-workflow only groups. The activity's type names the program: what runs it is told elsewhere in ASKALON.
 */
import type { ParsedText } from "@/core/languages/format";
import { literalTask } from "@/core/languages/literal-task";
import { childrenOf, is, XmlFields } from "@/core/languages/xml/fields";
import type { XmlElement } from "@/core/languages/xml/read";
import type { Application } from "@/core/workflow/application";

export function parseAgwl(text: string): ParsedText {
  const fields = new XmlFields(text, "agwl");
  const application: Application = { groups: [], transient: [] };
  const workflow = fields.find("agwl-workflow");
  if (workflow) readBody(fields, workflow, application);
  const place = workflow ?? fields.roots[0] ?? { start: 0, end: 0 };
  if (application.groups.length === 0) fields.error("no-activity", "There is no activity in this workflow.", place);
  return fields.result(application);
}

/** Elements that only hold others; in AGWL they say where a control flow would be, which data say here. */
const groups = ["subWorkflow", "body", "sequence", "parallel", "section"];

function readBody(fields: XmlFields, parent: XmlElement, application: Application): void {
  for (const element of parent.children) {
    if (is(element, "activity")) readActivity(fields, element, application);
    else if (groups.some((group) => is(element, group))) readBody(fields, element, application);
    else if (!is(element, "dataIn") && !is(element, "dataOut")) {
      const message = `<${element.name}> is not read: of AGWL's constructs, activities and groups of them are.`;
      fields.error("not-read", message, element);
    }
  }
}

function readActivity(fields: XmlFields, activity: XmlElement, application: Application): void {
  const name = activity.attributes.get("name")?.value.trim() || String(application.groups.length + 1);
  const type = activity.attributes.get("type")?.value.trim() ?? "";
  const program = type.slice(type.lastIndexOf(":") + 1) || name;
  const message = "AGWL names the type of an activity, not its program; the type's name stands for the program.";
  fields.warnOnce("program", "no-program", message, activity);
  if (activity.text.includes("...")) {
    fields.warnOnce("left out", "left-out", "“...” stands where more would be told; it is left out.", activity);
  }
  fields.tellOthers(activity, ["dataIn", "dataOut"]);
  fields.tellOtherAttributes(activity, ["name", "type"]);
  const files = (local: string): string[] =>
    childrenOf(activity, local).flatMap((data) => {
      fields.tellOtherAttributes(data, ["name"]);
      const file = data.attributes.get("name")?.value.trim() ?? "";
      if (file !== "") return [file];
      fields.warning("no-name", `This <${data.name}> has no name and is left out.`, data);
      return [];
    });
  const task = literalTask({
    name,
    executable: program,
    inputs: files("dataIn"),
    outputs: files("dataOut"),
    at: fields.span(activity),
  });
  application.groups.push({ loops: [], task });
}
