/**
 * A grid file → the grid, or what is wrong with it: each problem a sentence with the path in the file (`clusters[0].hosts`)
 * and its line and column.
 */
import type { z } from "zod";
import { didYouMean } from "@/core/languages/did-you-mean";
import { SourceText } from "@/core/languages/source-text";
import { type Json, readJson } from "@/core/languages/wfformat/json";
import type { Problem } from "@/core/problem";
import { ProblemList } from "@/core/problem-list";
import { type Distribution, distribution } from "./distribution";
import { type Grid, gridSchema } from "./grid-schema";

const maxCharacters = 16 * 1024 * 1024;
const maxHosts = 1_000_000;

export interface ReadGrid {
  /** There if there are no problems. */
  grid?: Grid;
  problems: Problem[];
}

export function readGrid(text: string): ReadGrid {
  if (text.length > maxCharacters) {
    return { problems: [error("too-large", "The grid file is too long: more than 16 million characters.")] };
  }
  const source = new SourceText(text);
  const list = new ProblemList();
  const { value, fault, repeated } = readJson(text);
  for (const { name, start, end } of repeated) {
    list.add(error("repeated", `"${name}" is there twice in one object.`, source.span(start, end)));
  }
  if (fault || !value) {
    if (fault) list.add(error("syntax", fault.message, source.span(fault.start, fault.end)));
    return { problems: list.toArray() };
  }
  const parsed = gridSchema.safeParse(plain(value));
  for (const issue of parsed.error?.issues ?? []) {
    const { found } = at(value, issue.path);
    list.add(error("grid", sentence(issue, value), source.span(found.start, firstLineEnd(found))));
  }
  if (parsed.data) checkWhole(parsed.data, value, list, source);
  const problems = list.toArray();
  return parsed.data && problems.length === 0 ? { grid: parsed.data, problems } : { problems };
}

/** A distribution by itself, as a grid file would have it; a sentence if it is none. */
export function readDistribution(text: string): Distribution | string {
  const { value, fault } = readJson(text);
  if (!value) return fault?.message ?? "There is nothing.";
  const parsed = distribution.safeParse(plain(value));
  if (parsed.data) return parsed.data;
  const [issue] = parsed.error?.issues ?? [];
  return issue ? sentence(issue, value, "It") : "It is not a distribution.";
}

/** What no single field is to blame for. */
function checkWhole(grid: Grid, root: Json, list: ProblemList, source: SourceText): void {
  const complain = (path: readonly PropertyKey[], message: string): void => {
    const { found } = at(root, path);
    list.add(error("grid", `\`${written(path)}\` ${message}.`, source.span(found.start, firstLineEnd(found))));
  };
  const seen = new Set<string>();
  let hosts = 0;
  grid.clusters.forEach((cluster, c) => {
    if (seen.has(cluster.name)) complain(["clusters", c, "name"], `is the name of another cluster too`);
    seen.add(cluster.name);
    const classes = new Set<string>();
    cluster.hosts.forEach((host, h) => {
      const path = ["clusters", c, "hosts", h];
      hosts += host.count;
      if (classes.has(host.name)) complain([...path, "name"], "is the name of other hosts of this cluster too");
      classes.add(host.name);
      if (host.failures?.hostEvery && !host.failures.repair) {
        complain([...path, "failures"], "says how often a host fails, and must also say `repair`");
      }
    });
  });
  if (hosts > maxHosts) complain(["clusters"], `has ${hosts} hosts, more than a million`);
}

function error(code: string, message: string, span?: Problem["at"]): Problem {
  return { severity: "error", code: `grid/${code}`, message, ...(span && { at: span }) };
}

type Issue = z.core.$ZodIssue;

function sentence(issue: Issue, root: Json, whole = "The file"): string {
  const where = written(issue.path);
  const { missing } = at(root, issue.path);
  if (missing && (issue.code === "invalid_type" || issue.code === "invalid_union" || issue.code === "invalid_value")) {
    return `\`${where}\` is missing.`;
  }
  const whose = where === "" ? whole : `\`${where}\``;
  // The schema's own words.
  if (issue.message.startsWith("must ")) return `${whose} ${issue.message}.`;
  switch (issue.code) {
    case "invalid_type":
      return `${whose} must be ${wanted(issue.expected)}.`;
    case "invalid_value":
      return `${whose} must be ${oneOf(issue.values.map(String))}.`;
    case "invalid_union":
      return "options" in issue && issue.options
        ? `${whose} must be ${oneOf(issue.options.map(String))}.`
        : `${whose} must be a text, a number, true or false.`;
    case "unrecognized_keys":
      return unknownNames(whose, issue.keys, keysOf(issue.path));
    case "too_small":
      return `${whose} ${tooSmall(issue)}.`;
    case "too_big":
      return `${whose} ${tooBig(issue)}.`;
    case "invalid_key":
      return `${whose} is not the name of an attribute: letters, digits and _ only, no digit first.`;
    default:
      return `${whose} ${issue.message}.`;
  }
}

function wanted(expected: string): string {
  const words: Record<string, string> = {
    object: "an object",
    array: "a list",
    string: "a text",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    record: "an object",
  };
  return words[expected] ?? expected;
}

function oneOf(values: readonly string[]): string {
  const quoted = values.map((value) => `"${value}"`);
  return quoted.length === 1 ? quoted[0]! : `one of ${quoted.join(", ")}`;
}

function tooSmall(issue: Extract<Issue, { code: "too_small" }>): string {
  if (issue.origin === "array") return "must not be empty";
  if (issue.origin === "string") return "must not be empty";
  return issue.inclusive ? `must be at least ${issue.minimum}` : `must be above ${issue.minimum}`;
}

function tooBig(issue: Extract<Issue, { code: "too_big" }>): string {
  if (issue.origin === "array") return `must have at most ${issue.maximum} elements`;
  if (issue.origin === "string") return `must have at most ${issue.maximum} characters`;
  return `must be at most ${issue.maximum}`;
}

function unknownNames(whose: string, keys: readonly string[], known: readonly string[]): string {
  const [first] = keys;
  const meant = first === undefined ? undefined : didYouMean(first, known);
  const names = keys.map((key) => `\`${key}\``).join(", ");
  return `${whose} has no place for ${names}${meant ? `; did you mean \`${meant}\`?` : "."}`;
}

/** The names known at a path of the schema, to guess what a mistyped one was meant to be. */
function keysOf(path: readonly PropertyKey[]): readonly string[] {
  const grid = gridSchema.shape;
  const cluster = grid.clusters.element.shape;
  const host = cluster.hosts.element.shape;
  const names = path.filter((part) => typeof part === "string").join(".");
  const known: Record<string, object> = {
    "": grid,
    engine: grid.engine.unwrap().shape,
    clusters: cluster,
    "clusters.link": cluster.link.unwrap().shape,
    "clusters.limits": cluster.limits.unwrap().shape,
    "clusters.agents": cluster.agents.unwrap().shape,
    "clusters.hosts": host,
    "clusters.hosts.load": host.load.unwrap().shape,
    "clusters.hosts.preemption": host.preemption.unwrap().shape,
    "clusters.hosts.failures": host.failures.unwrap().shape,
  };
  return Object.keys(known[names] ?? {});
}

/** `clusters[0].hosts[2].speed` */
function written(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) text += typeof part === "number" ? `[${part}]` : `${text === "" ? "" : "."}${String(part)}`;
  return text;
}

/** The value at a path, or the last there is on the way to it. */
function at(root: Json, path: readonly PropertyKey[]): { found: Json; missing: boolean } {
  let found = root;
  for (const part of path) {
    const next =
      found.is === "object" && typeof part === "string"
        ? found.members.get(part)
        : found.is === "array" && typeof part === "number"
          ? found.items[part]
          : undefined;
    if (!next) return { found, missing: true };
    found = next;
  }
  return { found, missing: false };
}

/** Objects and lists are pointed at by their bracket. */
function firstLineEnd(value: Json): number {
  return value.is === "object" || value.is === "array" ? value.start + 1 : value.end;
}

function plain(json: Json): unknown {
  switch (json.is) {
    case "object":
      return Object.fromEntries([...json.members].map(([key, member]) => [key, plain(member)]));
    case "array":
      return json.items.map(plain);
    case "null":
      return null;
    default:
      return json.value;
  }
}
