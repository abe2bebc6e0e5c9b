/** Members of JSON objects with the type they must have; what is otherwise is told with its place and left out. */
import { nulMessage } from "@/core/languages/nul";
import type { SourceText } from "@/core/languages/source-text";
import type { Problem, Span } from "@/core/problem";
import type { ProblemList } from "@/core/problem-list";
import type { Json, JsonObject } from "./json";

const kinds = {
  object: "an object",
  array: "a list",
  string: "a text",
  number: "a number",
  boolean: "true or false",
  null: "null",
};

export class Fields {
  readonly #source: SourceText;
  readonly #problems: ProblemList;
  readonly #told = new Set<string>();

  constructor(source: SourceText, problems: ProblemList) {
    this.#source = source;
    this.#problems = problems;
  }

  get isFull(): boolean {
    return this.#problems.isFull;
  }

  span(value: { start: number; end: number }): Span {
    return this.#source.span(value.start, value.end);
  }

  error(code: string, message: string, at: { start: number; end: number }): undefined {
    this.#add("error", code, message, at);
  }

  warning(code: string, message: string, at: { start: number; end: number }): void {
    this.#add("warning", code, message, at);
  }

  /** For what every one of a million tasks may have: told at the first. */
  warnOnce(key: string, code: string, message: string, at: { start: number; end: number }): void {
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.warning(code, message, at);
  }

  object(of: JsonObject, name: string, path: string, required = false): JsonObject | undefined {
    const value = this.#member(of, name, path, required, "object");
    return value?.is === "object" ? value : undefined;
  }

  /** The objects of a list; others are errors. */
  objects(of: JsonObject, name: string, path: string, required = false): JsonObject[] {
    return this.#items(of, name, path, required).filter((item, i) => this.#is(item, "object", `${path}.${name}[${i}]`));
  }

  strings(of: JsonObject, name: string, path: string): (Json & { is: "string" })[] {
    return this.#items(of, name, path, false).filter((item, i) => this.#is(item, "string", `${path}.${name}[${i}]`));
  }

  string(of: JsonObject, name: string, path: string, required = false): string | undefined {
    const value = this.#member(of, name, path, required, "string");
    return value?.is === "string" ? value.value : undefined;
  }

  /** A number from `minimum` on. */
  number(of: JsonObject, name: string, path: string, minimum: number, required = false): number | undefined {
    const value = this.#member(of, name, path, required, "number");
    if (value?.is !== "number") return undefined;
    if (value.value >= minimum && Number.isFinite(value.value)) return value.value;
    this.error("out-of-range", `\`${path}.${name}\` must be a number from ${minimum} on.`, value);
    return undefined;
  }

  /** Tells every member that is not among the known ones, once for each kind of object. */
  tellOthers(of: JsonObject, known: readonly string[], path: string): void {
    for (const [name, value] of of.members) {
      if (known.includes(name)) continue;
      const message = `\`${path}.${name}\` is not kept: a workflow here has no place for it.`;
      this.warnOnce(`${path}.${name}`, "not-kept", message, value);
    }
  }

  #items(of: JsonObject, name: string, path: string, required: boolean): Json[] {
    const value = this.#member(of, name, path, required, "array");
    return value?.is === "array" ? value.items : [];
  }

  #member(of: JsonObject, name: string, path: string, required: boolean, kind: Json["is"]): Json | undefined {
    const value = of.members.get(name);
    if (value && value.is !== "null") return this.#is(value, kind, `${path}.${name}`) ? value : undefined;
    if (required) this.error("missing", `\`${path}.${name}\` is missing.`, { start: of.start, end: of.start + 1 });
    return undefined;
  }

  #is<Kind extends Json["is"]>(value: Json, kind: Kind, path: string): value is Json & { is: Kind } {
    if (value.is === "string" && value.value.includes("\0")) {
      this.error("nul", nulMessage, value);
      return false;
    }
    if (value.is === kind) return true;
    this.error("wrong-type", `\`${path}\` must be ${kinds[kind]}, not ${kinds[value.is]}.`, value);
    return false;
  }

  #add(severity: Problem["severity"], code: string, message: string, at: { start: number; end: number }): void {
    this.#problems.add({ severity, code: `wfformat/${code}`, message, at: this.span(at) });
  }
}
