/**
 * Statements → nodes and dependencies. Splices and sub-DAGs come in under a prefix (`Splice+Node`); a dependency on one
 * is a dependency on its first or last nodes. Files that include or splice themselves are found, and everything that
 * could multiply is bounded.
 */

import type { Word } from "@/core/languages/condor-submit/lines";
import { type Place, type Reports, Source } from "@/core/languages/condor-submit/source";
import { didYouMean } from "@/core/languages/did-you-mean";
import type { Span } from "@/core/problem";
import { DagParser } from "./parser";
import type { EdgesStatement, NodeCommand, NodeStatement, SpliceStatement, Statement } from "./statements";

export interface DagNode {
  name: string;
  kind: "job" | "final";
  /** Nothing: the node does nothing itself (NOOP). */
  description?: Place;
  directory: string;
  done: boolean;
  variables: { name: string; value: string; append: boolean; place: Place }[];
  retries?: { times: number; unlessExit?: number };
  before?: string;
  afterwards?: string;
  priority?: number;
  category?: string;
  place: Place;
}

export interface Dag {
  nodes: DagNode[];
  edges: { before: DagNode; after: DagNode; at: Span }[];
  limits: Map<string, number>;
  finalNode?: DagNode;
}

/** What a name in a scope stands for: a node, or what came in under that name. */
type Named = DagNode | Spliced;
interface Spliced {
  kind: "spliced";
  nodes: DagNode[];
  first: DagNode[];
  last: DagNode[];
}

interface Scope {
  prefix: string;
  directory: string;
  names: Map<string, Named>;
  descriptions: Map<string, Place>;
  nodes: DagNode[];
  edges: Dag["edges"];
}

const maxDepth = 20;
const maxFiles = 10_000;
const maxNodes = 1_000_000;
const maxEdges = 5_000_000;

export class DagReader {
  readonly #reports: Reports;
  readonly #readFile: (name: string) => string | undefined;
  readonly #limits = new Map<string, number>();
  #files = 0;
  #nodeCount = 0;
  #edgeCount = 0;
  #final: DagNode | undefined;

  constructor(reports: Reports, readFile: (name: string) => string | undefined) {
    this.#reports = reports;
    this.#readFile = readFile;
  }

  read(source: Source, fileName?: string): Dag {
    const scope = this.#scope(source, "", "", fileName === undefined ? [] : [fileName]);
    const dag: Dag = { nodes: scope.nodes, edges: scope.edges, limits: this.#limits };
    if (this.#final) dag.finalNode = this.#final;
    return dag;
  }

  #scope(source: Source, prefix: string, directory: string, chain: readonly string[]): Scope {
    const statements: Statement[] = [];
    this.#collect(source, directory, chain, statements);
    const names = new Map<string, Named>();
    const scope: Scope = { prefix, directory, names, descriptions: new Map(), nodes: [], edges: [] };
    for (const statement of statements) {
      if (statement.is === "description") scope.descriptions.set(statement.name.text, statement.block);
    }
    // Names are known everywhere in the file, also before the line that gives them.
    for (const statement of statements) {
      if (this.#reports.isFull) return scope;
      if (statement.is === "node") this.#addNode(statement, scope);
      else if (statement.is === "splice") this.#addSplice(statement, scope, chain);
    }
    for (const statement of statements) {
      if (this.#reports.isFull) return scope;
      if (statement.is === "command") this.#apply(statement, scope);
      else if (statement.is === "edges") this.#connect(statement, scope);
      else if (statement.is === "limit")
        this.#limits.set(categoryName(statement.category.text, scope), statement.limit);
    }
    return scope;
  }

  /** The statements of a file, with those of the files it includes in their places. */
  #collect(source: Source, directory: string, chain: readonly string[], into: Statement[]): void {
    for (const statement of new DagParser(source, this.#reports).parse()) {
      if (statement.is !== "include") {
        into.push(statement);
        continue;
      }
      const opened = this.#open(statement.file, directory, chain, "INCLUDE");
      if (opened) this.#collect(opened.source, directory, opened.chain, into);
    }
  }

  #open(
    word: Word,
    directory: string,
    chain: readonly string[],
    command: string,
  ): { source: Source; chain: string[] } | undefined {
    const file = joinPath(directory, word.text);
    if (chain.includes(file)) {
      const message = `"${file}" comes in through itself (${[...chain, file].join(" → ")}); this would never end.`;
      this.#reports.error("file-cycle", message, word);
      return undefined;
    }
    this.#files += 1;
    if (chain.length >= maxDepth || this.#files > maxFiles) {
      const message = `Too many files come in through one another (${maxDepth} levels and ${maxFiles} files are allowed).`;
      this.#reports.errorOnce("files", "too-many-files", message, word);
      return undefined;
    }
    const text = this.#readFile(file);
    if (text === undefined) {
      this.#reports.error("missing-file", `The file "${file}" that ${command} names is not there.`, word);
      return undefined;
    }
    const at = word.source.span(word.start, word.end);
    return { source: new Source(text, { file, at }), chain: [...chain, file] };
  }

  #addNode(statement: NodeStatement, scope: Scope): void {
    const { name, described, directory, place } = statement;
    if (!this.#mayAdd(name, scope)) return;
    const inDirectory = directory ? joinPath(scope.directory, directory.text) : scope.directory;
    const node: DagNode = {
      name: scope.prefix + name.text,
      kind: statement.kind,
      directory: inDirectory,
      done: statement.done,
      variables: [],
      place,
    };
    if (!statement.noop) {
      const description =
        described.is === "inline" ? described.block : this.#description(described.word, inDirectory, scope);
      // The node stays, so that what refers to it does not seem wrong as well.
      if (description) node.description = description;
    }
    scope.names.set(name.text, node);
    if (statement.kind === "final" && !this.#setFinal(node, scope)) return;
    scope.nodes.push(node);
  }

  readonly #submitFiles = new Map<string, Place>();

  #description(word: Word, directory: string, scope: Scope): Place | undefined {
    const named = scope.descriptions.get(word.text);
    if (named) return named;
    const file = joinPath(directory, word.text);
    const known = this.#submitFiles.get(file);
    if (known) return known;
    const text = this.#readFile(file);
    if (text === undefined) {
      const { line } = word.source.span(word.start, word.end);
      this.#reports.error("missing-file", `The submit file "${file}" named in line ${line} is not there.`, word);
      return undefined;
    }
    const source = new Source(text, { file, at: word.source.span(word.start, word.end) });
    const description = { source, start: 0, end: text.length };
    this.#submitFiles.set(file, description);
    return description;
  }

  #setFinal(node: DagNode, scope: Scope): boolean {
    if (scope.prefix !== "") {
      const message = "A FINAL node of a DAG within a DAG is not kept: only the whole workflow can have one.";
      this.#reports.warning("not-kept", message, node.place);
      return false;
    }
    if (this.#final) {
      this.#reports.error("two-finals", `There is a FINAL node already: "${this.#final.name}".`, node.place);
      return false;
    }
    this.#final = node;
    return true;
  }

  #addSplice(statement: SpliceStatement, scope: Scope, chain: readonly string[]): void {
    const { name, file, directory, place } = statement;
    if (!this.#mayAdd(name, scope)) return;
    if (statement.noop) {
      const node: DagNode = {
        name: scope.prefix + name.text,
        kind: "job",
        directory: "",
        done: statement.done,
        variables: [],
        place,
      };
      scope.names.set(name.text, node);
      scope.nodes.push(node);
      return;
    }
    const inDirectory = directory ? joinPath(scope.directory, directory.text) : scope.directory;
    const opened = this.#open(file, inDirectory, chain, statement.kind === "splice" ? "SPLICE" : "SUBDAG");
    if (!opened) {
      scope.names.set(name.text, { kind: "spliced", nodes: [], first: [], last: [] });
      return;
    }
    const prefix = `${scope.prefix}${name.text}+`;
    const inner = this.#scope(opened.source, prefix, inDirectory, opened.chain);
    const children = new Set(inner.edges.map((edge) => edge.after));
    const parents = new Set(inner.edges.map((edge) => edge.before));
    const jobs = inner.nodes.filter((node) => node.kind === "job");
    if (statement.done) for (const node of jobs) node.done = true;
    const first = jobs.filter((node) => !children.has(node));
    const last = jobs.filter((node) => !parents.has(node));
    scope.names.set(name.text, { kind: "spliced", nodes: jobs, first, last });
    for (const [innerName, named] of inner.names) scope.names.set(`${name.text}+${innerName}`, named);
    for (const node of inner.nodes) scope.nodes.push(node);
    for (const edge of inner.edges) scope.edges.push(edge);
  }

  #mayAdd(name: Word, scope: Scope): boolean {
    if (scope.names.has(name.text)) {
      this.#reports.error("duplicate-name", `There are two nodes called "${name.text}".`, name);
      return false;
    }
    this.#nodeCount += 1;
    if (this.#nodeCount <= maxNodes) return true;
    this.#reports.errorOnce("nodes", "too-many-nodes", `A DAG cannot have more than ${maxNodes} nodes.`, name);
    return false;
  }

  #apply(statement: NodeCommand, scope: Scope): void {
    const { node: word, command, place } = statement;
    if (/^ALL_NODES$/i.test(word.text)) {
      for (const node of scope.nodes) if (node.kind === "job") this.#applyTo(node, command, scope);
      return;
    }
    const named = this.#find(word, scope);
    if (!named) return;
    if (named.kind !== "spliced") this.#applyTo(named, command, scope);
    else if (command.is === "done") for (const node of named.nodes) node.done = true;
    else if (command.is === "category" || command.is === "priority") {
      for (const node of named.nodes) this.#applyTo(node, command, scope);
    } else {
      const what = { vars: "VARS", retry: "RETRY", script: "SCRIPT" }[command.is];
      const message = `${what} on "${word.text}" is not kept: its nodes are part of this workflow, not one task.`;
      this.#reports.warning("not-kept", message, place);
    }
  }

  #applyTo(node: DagNode, command: NodeCommand["command"], scope: Scope): void {
    switch (command.is) {
      case "done":
        node.done = true;
        break;
      case "vars":
        for (const { name, value, source, start, end } of command.variables) {
          const append = command.position === "append";
          node.variables.push({ name, value, append, place: { source, start, end } });
        }
        break;
      case "retry":
        node.retries = { times: command.times };
        if (command.unlessExit !== undefined) node.retries.unlessExit = command.unlessExit;
        break;
      case "script":
        if (command.when === "pre") node.before = command.command;
        else node.afterwards = command.command;
        break;
      case "priority":
        node.priority = command.value;
        break;
      case "category":
        node.category = categoryName(command.category.text, scope);
    }
  }

  #connect(statement: EdgesStatement, scope: Scope): void {
    const parents = this.#ends(statement.parents, "last", scope);
    const children = this.#ends(statement.children, "first", scope);
    if (!parents || !children) return;
    this.#edgeCount += parents.length * children.length;
    if (this.#edgeCount > maxEdges) {
      const message = `A DAG cannot have more than ${maxEdges} dependencies.`;
      this.#reports.errorOnce("edges", "too-many-edges", message, statement.place);
      return;
    }
    const at = statement.place.source.span(statement.place.start, statement.place.end);
    for (const before of parents) for (const after of children) scope.edges.push({ before, after, at });
  }

  #ends(words: readonly Word[], side: "first" | "last", scope: Scope): DagNode[] | undefined {
    const nodes = new Set<DagNode>();
    let complete = true;
    for (const word of words) {
      const named = this.#find(word, scope);
      if (!named) complete = false;
      else if (named.kind === "spliced") for (const node of named[side]) nodes.add(node);
      else if (named.kind === "final") {
        this.#reports.error(
          "final-dependency",
          `"${word.text}" is the FINAL node; it runs after all others anyway.`,
          word,
        );
        complete = false;
      } else nodes.add(named);
    }
    return complete ? [...nodes] : undefined;
  }

  #find(word: Word, scope: Scope): Named | undefined {
    const named = scope.names.get(word.text);
    if (named) return named;
    const suggestion = scope.names.size < 10_000 ? didYouMean(word.text, scope.names.keys()) : undefined;
    const advice = suggestion ? ` Did you mean "${suggestion}"?` : "";
    this.#reports.error("unknown-node", `There is no node called "${word.text}".${advice}`, word);
    return undefined;
  }
}

/** Categories of a splice are its own, unless their names start with `+`. */
function categoryName(name: string, scope: Scope): string {
  return name.startsWith("+") ? name.slice(1) : scope.prefix + name;
}

export function joinPath(directory: string, name: string): string {
  return directory === "" || name.startsWith("/") ? name : `${directory.replace(/\/+$/, "")}/${name}`;
}
