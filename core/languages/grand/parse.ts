/**
 * A manifest and the files it names → the application. Tasks are JSDL; edges and clusters call them by their ids. An edge
 * that follows from the tasks' files is not written down a second time.
 */
import type { ParsedText, Surroundings } from "@/core/languages/format";
import { readJobs } from "@/core/languages/jsdl/parse";
import { childrenOf, XmlFields } from "@/core/languages/xml/fields";
import type { XmlElement } from "@/core/languages/xml/read";
import type { Problem, Span } from "@/core/problem";
import { ProblemList } from "@/core/problem-list";
import type { Application, Dependency } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";

interface Entry {
  path: string;
  text: string;
  at: Span;
}

const kinds = ["tasks", "edges", "clusters"] as const;
type Kind = (typeof kinds)[number];

export function parseGrand(text: string, { readFile }: Surroundings = {}): ParsedText {
  const manifest = new XmlFields(text, "grand");
  const reader = new GrandReader();
  const root = manifest.find("Manifest");
  const entries: Record<Kind, Entry[]> = { tasks: [], edges: [], clusters: [] };
  for (const element of root ? childrenOf(root, "FileEntry") : []) {
    const kind = kindOf(manifest, element);
    const path = element.attributes.get("path")?.value.trim() ?? "";
    if (path === "") manifest.error("no-path", "A FileEntry needs a path.", element);
    if (!kind || path === "") continue;
    const content = readFile?.(path);
    if (content !== undefined) entries[kind].push({ path, text: content, at: manifest.span(element) });
    else manifest.error("missing-file", `The file “${path}” did not come along.`, element);
  }
  if (root) manifest.tellOthers(root, ["FileEntry"]);
  if (!root || entries.tasks.length === 0) {
    manifest.error(
      "no-tasks",
      'The manifest names no file of tasks (type="tasks") that came along.',
      root ?? { start: 0, end: 0 },
    );
  }
  for (const entry of entries.tasks) reader.tasks(entry);
  for (const entry of entries.edges) reader.edges(entry);
  for (const entry of entries.clusters.slice(0, 1)) reader.clusters(entry);
  const second = entries.clusters[1];
  if (second && root) {
    const message = `There are several ways of clustering; the first is taken, “${second.path}” is left out.`;
    manifest.warning("second-clustering", message, root);
  }
  const own = manifest.result(reader.application);
  return { application: reader.finish(), problems: [...own.problems, ...reader.problems.toArray()] };
}

function kindOf(manifest: XmlFields, element: XmlElement): Kind | undefined {
  const type = element.attributes.get("type")?.value.trim().toLowerCase() ?? "";
  const kind = kinds.find((one) => one === type);
  if (!kind)
    manifest.warning(
      "unknown-type",
      `Files of the type “${type}” are not read; tasks, edges and clusters are.`,
      element,
    );
  return kind;
}

class GrandReader {
  readonly application: Application = { groups: [], transient: [] };
  readonly problems = new ProblemList();
  private readonly nameOf = new Map<string, string>();
  private readonly dependencies: Dependency[] = [];

  tasks(entry: Entry): void {
    const fields = new XmlFields(entry.text, "grand");
    for (const { task, id } of readJobs(fields, `jsdl-grand ${entry.text}`)) {
      const name = task.name?.[0];
      const plain = name && "text" in name ? name.text : "";
      const key = id ?? plain;
      if (this.nameOf.has(key))
        this.add(entry, fields.span(fields.roots[0]!), `There are two tasks with the id “${key}”.`, "duplicate-id");
      this.nameOf.set(key, plain);
      this.application.groups.push({ loops: [], task });
    }
    this.adopt(entry, fields);
  }

  edges(entry: Entry): void {
    const fields = new XmlFields(entry.text, "grand");
    const definition = fields.find("DAGDefinition");
    if (!definition)
      fields.error("no-edges", "There is no DAGDefinition in this file.", fields.roots[0] ?? { start: 0, end: 0 });
    for (const edge of definition ? childrenOf(definition, "Edge") : []) {
      const before = this.end(fields, edge, "sourcejobid");
      const after = this.end(fields, edge, "targetjobid");
      fields.tellOtherAttributes(edge, ["sourcejobid", "targetjobid", "weight"]);
      const weight = Number(edge.attributes.get("weight")?.value ?? 1);
      if (weight !== 1) {
        fields.warnOnce(
          "weight",
          "not-kept",
          "The weights of edges are not kept; sizes of files say the same here.",
          edge,
        );
      }
      if (before !== undefined && after !== undefined) this.dependencies.push({ before, after, at: entry.at });
    }
    this.adopt(entry, fields);
  }

  private end(fields: XmlFields, edge: XmlElement, attribute: string): string | undefined {
    const id = edge.attributes.get(attribute)?.value.trim();
    if (id === undefined) return fields.error("no-end", "An edge needs sourceJobID and targetJobID.", edge);
    return this.nameOf.get(id) ?? fields.error("unknown-task", `There is no task with the id “${id}”.`, edge);
  }

  clusters(entry: Entry): void {
    const fields = new XmlFields(entry.text, "grand");
    const set = fields.find("ClusterSet");
    if (!set)
      fields.error("no-clusters", "There is no ClusterSet in this file.", fields.roots[0] ?? { start: 0, end: 0 });
    const owners = new Map<string, string>();
    const clusters = (set ? childrenOf(set, "ClusterDefinition") : []).map((definition, index) => {
      const name = definition.attributes.get("clusterid")?.value.trim() || `c${index}`;
      const tasks = childrenOf(definition, "JobID").flatMap((job) => {
        const task =
          this.nameOf.get(job.text) ?? fields.error("unknown-task", `There is no task with the id “${job.text}”.`, job);
        if (task === undefined) return [];
        const owner = owners.get(task);
        if (owner !== undefined)
          return fields.error("two-clusters", `Task “${task}” is in ${owner} and in ${name}.`, job) ?? [];
        owners.set(task, name);
        return [task];
      });
      return { name, tasks };
    });
    if (clusters.length > 0) this.application.clusters = clusters;
    this.adopt(entry, fields);
  }

  finish(): Application {
    const dependencies = this.beyondFiles();
    if (dependencies.length > 0) this.application.dependencies = dependencies;
    return this.application;
  }

  private beyondFiles(): Dependency[] {
    if (this.dependencies.length === 0) return [];
    const { workflow } = buildWorkflow(this.application);
    const { offsets, targets } = workflow.successors;
    const numbers = new Map(Array.from({ length: workflow.taskCount }, (_, task) => [workflow.name(task), task]));
    const readers = new Map<number, Set<number>>();
    return this.dependencies.filter(({ before, after }) => {
      const from = numbers.get(before)!;
      let known = readers.get(from);
      if (!known) {
        known = new Set(targets.subarray(offsets[from]!, offsets[from + 1]!));
        readers.set(from, known);
      }
      return !known.has(numbers.get(after)!);
    });
  }

  /** What is wrong in a file is told at the line of the manifest that names it. */
  private adopt(entry: Entry, fields: XmlFields): void {
    for (const problem of fields.result(this.application).problems) this.problems.add(inFile(problem, entry));
  }

  private add(entry: Entry, at: Span, message: string, code: string): void {
    this.problems.add(inFile({ severity: "error", code: `grand/${code}`, message, at }, entry));
  }
}

function inFile(problem: Problem, { path, at }: Entry): Problem {
  const there = problem.at ?? { line: 1, column: 1, endLine: 1, endColumn: 1 };
  return { ...problem, at, inFile: { name: path, at: there } };
}
