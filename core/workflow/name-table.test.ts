import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NameTable } from "./name-table";

describe("a table of names", () => {
  it("numbers names as a Map would", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 3000 }), (names) => {
        const table = new NameTable();
        const map = new Map<string, number>();
        for (const name of names) {
          if (!map.has(name)) map.set(name, map.size);
          expect(table.add(name)).toBe(map.get(name));
        }
        expect(table.size).toBe(map.size);
        for (const [name, number] of map) {
          expect(table.numberOf(name)).toBe(number);
          expect(table.name(number)).toBe(name);
        }
        expect(table.numberOf("nobody")).toBe(-1);
      }),
      { numRuns: 20 },
    );
  });

  it("works on when the names are chosen to fall into one place", () => {
    const table = new NameTable();
    // Long names are hashed by their ends only: all of these have the same hash.
    const ends = "e".repeat(40);
    const names = Array.from({ length: 3000 }, (_, n) => ends + String(n).padStart(8, "0") + ends);
    for (const [n, name] of names.entries()) expect(table.add(name)).toBe(n);
    for (const [n, name] of names.entries()) expect(table.numberOf(name)).toBe(n);
    expect(table.add(names[5]!)).toBe(5);
  });
});
