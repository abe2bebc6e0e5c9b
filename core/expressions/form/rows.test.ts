import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExpression } from "../parse";
import { printExpression } from "../print";
import { fromRows, type Row, type RowOperator, type Rows, rowOperators, rowProblem, toRows, typedValue } from "./rows";

const read = (text: string): Rows | undefined => {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return toRows(parsed.value);
};
const row = (attribute: string, operator: RowOperator, typed: string | number): Row => ({
  is: "row",
  attribute,
  operator,
  value: typeof typed === "number" ? { is: "number", text: String(typed) } : { is: "text", text: typed },
});

describe("rows", () => {
  it("are read from comparisons joined by and, or and not", () => {
    expect(
      read('Memory >= 512 && (OpSys == "LINUX" || Arch == "X86_64") && !(ErrorRate > 0.5 || Host.Name == "n1")'),
    ).toEqual({
      is: "rows",
      join: "all",
      items: [
        row("Memory", ">=", 512),
        { is: "rows", join: "any", items: [row("OpSys", "==", "LINUX"), row("Arch", "==", "X86_64")] },
        { is: "rows", join: "none", items: [row("ErrorRate", ">", 0.5), row("Host.Name", "==", "n1")] },
      ],
    });
  });

  it("turn a comparison round so that the attribute comes first", () => {
    expect(read("512 <= Memory")?.items).toEqual([row("Memory", ">=", 512)]);
    expect(read("Load < -1.5")?.items).toEqual([row("Load", "<", -1.5)]);
  });

  it("know patterns and lists", () => {
    expect(read('regexp("^n[0-9]", Machine)')?.items).toEqual([row("Machine", "matches", "^n[0-9]")]);
    expect(read('stringListIMember(Machine, "n1, n2")')?.items).toEqual([row("Machine", "among", "n1, n2")]);
  });

  it.each([
    "Memory * 2 > 10",
    "Memory > Disk",
    "Memory > 1 ? Disk > 1 : false",
    "true && Memory > 1",
    "ifThenElse(A, B, C)",
    "Memory",
    ".Memory > 1",
    "A > 1 + 1",
    "!!(!(!(!(!(!(!(A > 1)))))))",
  ])("are not made of %s, which stays text", (text) => {
    expect(read(text)).toBeUndefined();
  });

  it("that are not filled in do not count", () => {
    const rows: Rows = {
      is: "rows",
      join: "all",
      items: [row("", "==", "x"), row("Cpus", ">", 2), row("a b", "==", 1)],
    };
    expect(printExpression(fromRows(rows), "spaced")).toBe("Cpus > 2");
    expect(printExpression(fromRows({ is: "rows", join: "any", items: [] }))).toBe("true");
    expect(rowProblem(row("", "==", 1))).toBe("Choose an attribute.");
    expect(rowProblem({ ...row("A", ">", 1), value: { is: "number", text: "1 +" } })).toBe("“1 +” is not a number.");
    expect(rowProblem(row("A", "matches", ""))).toBe("Say what to look for.");
  });

  it("take typed values for what they read as", () => {
    expect(typedValue("12")).toEqual({ is: "number", text: "12" });
    expect(typedValue("TRUE")).toEqual({ is: "truth", text: "true" });
    expect(typedValue("12", "text")).toEqual({ is: "text", text: "12" });
    expect(typedValue("LINUX")).toEqual({ is: "text", text: "LINUX" });
  });

  it("are the same after having been an expression, and its text", () => {
    const name = fc.constantFrom("Memory", "OpSys", "Host.ErrorRate", "Cpus", "odd name".replace(" ", "_"));
    const value = fc.oneof(
      fc.string({ maxLength: 8 }).map((text) => ({ is: "text" as const, text })),
      fc.integer({ min: -1000, max: 1000 }).map((n) => ({ is: "number" as const, text: String(n) })),
      fc.constantFrom("true" as const, "false" as const).map((text) => ({ is: "truth" as const, text })),
    );
    const anyRow: fc.Arbitrary<Row> = fc.record({
      is: fc.constant("row" as const),
      attribute: name,
      operator: fc.constantFrom(...rowOperators),
      value,
    });
    const filled = anyRow.filter((one) => rowProblem(one) === undefined);
    const { group } = fc.letrec<{ group: Rows }>((tie) => ({
      group: fc.record({
        is: fc.constant("rows" as const),
        join: fc.constantFrom("all" as const, "any" as const, "none" as const),
        items: fc.array(fc.oneof({ maxDepth: 2, withCrossShrink: true }, filled, tie("group")), {
          minLength: 2,
          maxLength: 4,
        }),
      }),
    }));
    fc.assert(
      fc.property(group, (rows) => {
        const expr = fromRows(rows);
        const text = printExpression(expr);
        const back = read(text);
        expect(back && printExpression(fromRows(back))).toBe(text);
      }),
    );
  });
});
