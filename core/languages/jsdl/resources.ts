/** What a JSDL job asks of a host: amounts become the task's resources, the rest a requirement. */
import { child, childrenOf, textOf, type XmlFields } from "@/core/languages/xml/fields";
import type { XmlElement } from "@/core/languages/xml/read";
import type { TaskTemplate } from "@/core/workflow/application";

type Amount = "cores" | "memoryBytes" | "diskBytes" | "wallSeconds";

/** Total before individual: a task is on one host. */
const amounts: readonly [string, Amount][] = [
  ["IndividualCPUCount", "cores"],
  ["TotalCPUCount", "cores"],
  ["IndividualPhysicalMemory", "memoryBytes"],
  ["TotalPhysicalMemory", "memoryBytes"],
  ["IndividualDiskSpace", "diskBytes"],
  ["TotalDiskSpace", "diskBytes"],
];

/** JSDL's names are those of the CIM; ours are HTCondor's. */
const architectures: Readonly<Record<string, string>> = { x86: "INTEL", x86_64: "X86_64", arm: "aarch64" };
const systems: Readonly<Record<string, string>> = {
  linux: "LINUX",
  macos: "macOS",
  freebsd: "FREEBSD",
  solaris: "SOLARIS",
};

export function readResources(fields: XmlFields, job: XmlElement, task: TaskTemplate): void {
  const posix = child(child(job, "Application") ?? job, "POSIXApplication");
  const wall = posix && child(posix, "WallTimeLimit");
  const limit = posix && child(posix, "MemoryLimit");
  if (wall) set(fields, task, "wallSeconds", wall, wall.text);
  if (limit) set(fields, task, "memoryBytes", limit, limit.text);
  const resources = child(job, "Resources");
  if (!resources) return;
  for (const [local, amount] of amounts) {
    const element = child(resources, local);
    if (element) set(fields, task, amount, element, leastOf(element));
  }
  const clauses = [
    hostClause(resources),
    nameClause(resources, "CPUArchitecture", "CPUArchitectureName", "Arch", architectures),
  ];
  const system = child(child(resources, "OperatingSystem") ?? resources, "OperatingSystemType");
  if (system) clauses.push(clause("OpSys", textOf(system, "OperatingSystemName"), systems));
  const said = clauses.filter((text) => text !== undefined);
  if (said.length > 0) task.requirement = { text: said.join(" && "), at: fields.span(resources) };
  fields.tellOthers(resources, [
    ...amounts.map(([local]) => local),
    "CandidateHosts",
    "CPUArchitecture",
    "OperatingSystem",
  ]);
}

function set(
  fields: XmlFields,
  task: TaskTemplate,
  amount: Amount,
  element: XmlElement,
  text: string | undefined,
): void {
  const value = Number(text);
  if (text === undefined || text === "" || !(value > 0 && value < Number.POSITIVE_INFINITY)) {
    const message = `<${element.name}> must tell a number above 0${text ? `, not “${text}”` : ""}; it is left out.`;
    fields.warning("bad-amount", message, element);
    return;
  }
  task.resources = { ...task.resources, [amount]: amount === "wallSeconds" ? value : Math.ceil(value) };
}

/** Of a range value: the least that will do. */
function leastOf(element: XmlElement): string | undefined {
  const range = child(element, "Range");
  return (
    textOf(element, "LowerBoundedRange") ??
    textOf(element, "Exact") ??
    (range && textOf(range, "LowerBound")) ??
    textOf(element, "UpperBoundedRange") ??
    element.text
  );
}

function hostClause(resources: XmlElement): string | undefined {
  const candidates = child(resources, "CandidateHosts");
  const names = candidates ? childrenOf(candidates, "HostName").map(({ text }) => `Machine == ${quoted(text)}`) : [];
  return names.length > 1 ? `(${names.join(" || ")})` : names[0];
}

function nameClause(
  resources: XmlElement,
  outer: string,
  inner: string,
  attribute: string,
  known: Readonly<Record<string, string>>,
): string | undefined {
  const element = child(resources, outer);
  return element && clause(attribute, textOf(element, inner), known);
}

function clause(
  attribute: string,
  name: string | undefined,
  known: Readonly<Record<string, string>>,
): string | undefined {
  if (name === undefined || name.toLowerCase() === "other") return undefined;
  return `${attribute} == ${quoted(known[name.toLowerCase()] ?? name)}`;
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
