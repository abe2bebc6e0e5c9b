/**
 * Files of records → ads. Three notations: new ClassAds (`[ … ]`, one after the other or in a list `{ … }`), old
 * ClassAds (lines `Name = value`, a blank line between records), and JSON (an array of objects).
 */
import type { Problem } from "@/core/problem";
import { type Expr, literal, type RecordAttribute, type RecordExpr } from "./ast";
import { makeAd } from "./compile";
import { parseAssignment, parseExpression, parseRecords, withoutMark } from "./parse";
import { type Ad, Real } from "./value";

export type AdsRead = { ok: true; ads: Ad[]; records: RecordExpr[] } | { ok: false; problem: Problem };

const maximumFile = 64_000_000;

export function readAds(written: string): AdsRead {
  const text = withoutMark(written);
  const start = text.trimStart().charAt(0);
  const second = text.trimStart().slice(1).trimStart().charAt(0);
  if (start === "[" && (second === "{" || second === "]")) return fromJson(text);
  if (start === "{" && second === '"') return fromJson(text);
  if (start === "[" || start === "{" || text.trimStart().startsWith("/")) {
    const parsed = parseRecords(text, { maximumLength: maximumFile });
    return parsed.ok ? made(parsed.value) : parsed;
  }
  return fromLines(text);
}

/** A file that should hold one record. */
export function readAd(text: string): { ok: true; ad: Ad; record: RecordExpr } | { ok: false; problem: Problem } {
  const read = readAds(text);
  if (!read.ok) return read;
  const [ad] = read.ads;
  const [record] = read.records;
  if (!ad || !record) return problem("The file holds no record.", 1);
  return { ok: true, ad, record };
}

function made(records: RecordExpr[]): AdsRead {
  return { ok: true, records, ads: records.map((record) => makeAd(record)) };
}

function problem(message: string, line: number): { ok: false; problem: Problem } {
  return {
    ok: false,
    problem: {
      severity: "error",
      code: "expression/record",
      message,
      at: { line, column: 1, endLine: line, endColumn: 2 },
    },
  };
}

function fromLines(text: string): AdsRead {
  const records: RecordExpr[] = [];
  let attributes: RecordAttribute[] = [];
  const finish = () => {
    if (attributes.length > 0) records.push({ kind: "record", attributes });
    attributes = [];
  };
  const lines = text.split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") finish();
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const parsed = parseAssignment(line);
    if (!parsed.ok) {
      const at = parsed.problem.at;
      const moved = at && { ...at, line: index + 1, endLine: index + 1 };
      return { ok: false, problem: moved ? { ...parsed.problem, at: moved } : parsed.problem };
    }
    attributes.push(parsed.value);
  }
  finish();
  return made(records);
}

function fromJson(text: string): AdsRead {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    const offset = Number(/position (\d+)/.exec(String(error))?.[1] ?? 0);
    return problem("The file starts like JSON but is not valid JSON.", text.slice(0, offset).split("\n").length);
  }
  const records: RecordExpr[] = [];
  for (const item of Array.isArray(data) ? data : [data]) {
    const expr = fromData(item, 0);
    if (expr?.kind !== "record") return problem("Each host in a JSON file must be an object.", 1);
    records.push(expr);
  }
  return made(records);
}

/** A value read from JSON as an expression. HTCondor writes expressions in JSON as "/Expr(…)/" strings. */
export function fromData(data: unknown, depth: number): Expr | undefined {
  if (depth > 100) return undefined;
  if (data === null || data === undefined) return literal(undefined);
  if (typeof data === "boolean") return literal(data);
  if (typeof data === "number") return literal(Number.isSafeInteger(data) ? data : new Real(data));
  if (typeof data === "string") {
    const quoted = /^\/Expr\(([\s\S]*)\)\/$/.exec(data);
    const parsed = quoted ? parseExpression(quoted[1] ?? "") : undefined;
    return parsed?.ok ? parsed.value : literal(data);
  }
  if (Array.isArray(data)) {
    const elements = data.map((element) => fromData(element, depth + 1));
    return elements.includes(undefined)
      ? undefined
      : { kind: "list", elements: elements.filter((element) => element !== undefined) };
  }
  const attributes: RecordAttribute[] = [];
  for (const [name, value] of Object.entries(data)) {
    const expr = fromData(value, depth + 1);
    if (!expr) return undefined;
    attributes.push({ name, value: expr });
  }
  return { kind: "record", attributes };
}

/** A host or job described by plain data (facts an agent reported, a task's resources). */
export function adFromData(data: Readonly<Record<string, unknown>>): Ad {
  const expr = fromData(data, 0);
  return makeAd(expr?.kind === "record" ? expr : { kind: "record", attributes: [] });
}
