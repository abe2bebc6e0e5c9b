import { describe, expect, it } from "vitest";
import type { Rows } from "@/core/expressions/form/rows";
import { addedAt, changedAt, draftFrom, emptyRow, rowsFor } from "./rows-draft";

const rowsOf = (text: string): Rows => {
  const shown = rowsFor(text, undefined);
  if (shown.is !== "rows") throw new Error(shown.because);
  return shown.rows;
};

describe("rows and text", () => {
  it("go from text to rows and back", () => {
    const rows = rowsOf('Memory >= 512 && (Arch == "X86_64" || Cpus > 8)');
    expect(draftFrom(rows).text).toBe('Memory >= 512 && (Arch == "X86_64" || Cpus > 8)');
  });

  it("a row that is still empty stays in the form and out of the text", () => {
    const draft = draftFrom(addedAt(rowsOf("Memory >= 512"), [], emptyRow));
    expect(draft.text).toBe("Memory >= 512");
    expect(rowsFor(draft.text, draft)).toEqual({ is: "rows", rows: draft.rows });
    // Typed by hand meanwhile: the text is what counts.
    expect(rowsFor("Memory >= 1", draft)).toMatchObject({ rows: { items: [{ value: { text: "1" } }] } });
  });

  it("rows are changed and removed wherever they are", () => {
    const rows = rowsOf("A > 1 && (B > 2 || C > 3)");
    const removed = changedAt(rows, [1, 0], () => undefined);
    expect(draftFrom(removed).text).toBe("A > 1 && C > 3");
    const changed = changedAt(rows, [1, 1], (row) => (row.is === "row" ? { ...row, attribute: "D" } : row));
    expect(draftFrom(changed).text).toBe("A > 1 && (B > 2 || D > 3)");
    const any = changedAt(rows, [], (group) => (group.is === "rows" ? { ...group, join: "none" } : group));
    expect(draftFrom(any).text).toBe("!(A > 1 || (B > 2 || C > 3))");
  });

  it("what rows cannot say stays text", () => {
    expect(rowsFor("Memory > 2 * Cpus", undefined)).toEqual({ is: "text-only", because: "too-rich" });
    expect(rowsFor("Memory >", undefined)).toEqual({ is: "text-only", because: "unreadable" });
    expect(rowsFor("  ", undefined)).toEqual({ is: "rows", rows: { is: "rows", join: "all", items: [] } });
  });
});
