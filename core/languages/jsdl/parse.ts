/** A JSDL document → the application: one task for each job description in it. */
import type { ParsedText } from "@/core/languages/format";
import { childrenOf, is, XmlFields } from "@/core/languages/xml/fields";
import type { XmlElement } from "@/core/languages/xml/read";
import type { Application } from "@/core/workflow/application";
import { type ReadJob, readJob } from "./job";

export function parseJsdl(text: string): ParsedText {
  const fields = new XmlFields(text, "jsdl");
  const application: Application = { groups: [], transient: [] };
  for (const { task } of readJobs(fields, text)) application.groups.push({ loops: [], task });
  return fields.result(application);
}

/** All jobs of a document; a name that is there twice gets a number. */
export function readJobs(fields: XmlFields, text: string): ReadJob[] {
  const definitions = fields.roots.filter((root) => is(root, "JobDefinition"));
  const descriptions = definitions.flatMap((definition) => {
    fields.tellOthers(definition, ["JobDescription"]);
    return childrenOf(definition, "JobDescription");
  });
  if (descriptions.length === 0) tellNothing(fields, definitions[0]);
  const dialect = { dataFiles: isExtended(text) };
  const names = new Map<string, number>();
  return descriptions.map((job, index) => {
    const read = readJob(fields, job, String(index + 1), dialect);
    numberName(read, names);
    return read;
  });
}

/** Its own elements or its namespace tell the thesis' extension. */
function isExtended(text: string): boolean {
  return /jsdl-grand|<(?:[\w-]+:)?(?:JobUID|jobID|JobWeight)\b/i.test(text);
}

function tellNothing(fields: XmlFields, definition: XmlElement | undefined): void {
  const [root] = fields.roots;
  if (definition) fields.error("no-job", "There is no JobDescription in this JobDefinition.", definition);
  else if (root) {
    const message = `This XML begins with <${root.name}>, which no workflow format here does. JSDL begins with JobDefinition.`;
    fields.error("unknown-xml", message, root);
  } else fields.error("no-job", "There is no element in this text.", { start: 0, end: 0 });
}

/** JSDL does not make job names unique (thesis, F.3.2), tasks have to be. */
function numberName({ task, id }: ReadJob, names: Map<string, number>): void {
  const name = task.name?.[0];
  if (!name || !("text" in name)) return;
  const plain = name.text;
  const before = names.get(plain) ?? 0;
  names.set(plain, before + 1);
  if (before === 0) return;
  let number = id ?? String(before + 1);
  while (names.has(`${plain}.${number}`)) number = `${number}'`;
  name.text = `${plain}.${number}`;
  names.set(name.text, 1);
}
