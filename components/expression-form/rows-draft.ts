/**
 * Rows and text of one expression, in step. The text is what counts and what is stored; the rows are read from it, and rows
 * somebody is still filling in are kept beside the text they gave, until the text becomes another.
 */
import { readPolicy } from "@/core/engine/policy";
import { printExpression } from "@/core/expressions";
import { fromRows, noRows, type Row, type Rows, toRows } from "@/core/expressions/form/rows";

/** Rows as they stand in the form, and the text they gave. */
export interface RowsDraft {
  rows: Rows;
  text: string;
}

export type Shown = { is: "rows"; rows: Rows } | { is: "text-only"; because: "too-rich" | "unreadable" };

export function rowsFor(text: string, draft: RowsDraft | undefined): Shown {
  if (draft && draft.text === text) return { is: "rows", rows: draft.rows };
  if (text.trim() === "") return { is: "rows", rows: noRows };
  const { expr } = readPolicy(text);
  if (!expr) return { is: "text-only", because: "unreadable" };
  const rows = toRows(expr);
  return rows ? { is: "rows", rows } : { is: "text-only", because: "too-rich" };
}

/** Rows that say nothing yet give no text. */
export function draftFrom(rows: Rows): RowsDraft {
  const expr = fromRows(rows);
  const saysNothing = expr.kind === "literal" && expr.value === true;
  return { rows, text: saysNothing ? "" : printExpression(expr, "spaced") };
}

export const emptyRow: Row = { is: "row", attribute: "", operator: ">=", value: { is: "number", text: "" } };

/** The path leads through groups by the places of their items. */
export type Path = readonly number[];

export function changedAt(rows: Rows, path: Path, change: (item: Row | Rows) => Row | Rows | undefined): Rows {
  const [place, ...rest] = path;
  if (place === undefined) {
    const changed = change(rows);
    return changed?.is === "rows" ? changed : noRows;
  }
  const items = rows.items.flatMap((item, index): (Row | Rows)[] => {
    if (index !== place) return [item];
    if (rest.length > 0 && item.is === "rows") return [changedAt(item, rest, change)];
    const changed = change(item);
    return changed ? [changed] : [];
  });
  return { ...rows, items };
}

export function addedAt(rows: Rows, path: Path, item: Row | Rows): Rows {
  return changedAt(rows, path, (group) => (group.is === "rows" ? { ...group, items: [...group.items, item] } : group));
}
