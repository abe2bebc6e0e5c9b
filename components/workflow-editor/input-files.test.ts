import { describe, expect, it } from "vitest";
import { destinationFor, type FileState, overviewFiles, providedFiles } from "./input-files";

const provided = (name: string): FileState => ({ is: "provided", file: { name, sha256: "0".repeat(64), size: 3 } });
const inputs = [
  { name: "a.txt", source: "a.txt", neededBy: 0 },
  { name: "b.txt", source: "/home/ada/b.txt", neededBy: 0 },
  { name: "data/c.txt", source: "data/c.txt", neededBy: 0 },
];

describe("input files of a workflow", () => {
  it("tells what is there, what is missing and what nobody reads", () => {
    const files = new Map([
      ["a.txt", provided("a.txt")],
      ["x.txt", provided("x.txt")],
    ]);
    const overview = overviewFiles(inputs, files);
    expect(overview.needed.map((file) => file.state.is)).toEqual(["provided", "missing", "missing"]);
    expect(overview.needed[1]?.source).toBe("/home/ada/b.txt");
    expect(overview.unused.map((file) => file.name)).toEqual(["x.txt"]);
    expect(overview.missing).toEqual(["b.txt", "data/c.txt"]);
  });

  it("keeps apart what belongs to the description", () => {
    const files = new Map([
      ["a.sub", provided("a.sub")],
      ["x.txt", provided("x.txt")],
    ]);
    const overview = overviewFiles(inputs, files, ["a.sub", "b.sub"]);
    expect(overview.companions.map(({ name, state }) => [name, state.is])).toEqual([
      ["a.sub", "provided"],
      ["b.sub", "missing"],
    ]);
    expect(overview.unused.map((file) => file.name)).toEqual(["x.txt"]);
    expect(overview.missing).not.toContain("b.sub");
  });

  it("counts a failed upload as missing and one under way as neither", () => {
    const files = new Map<string, FileState>([
      ["a.txt", { is: "failed", sentence: "too large" }],
      ["b.txt", { is: "uploading", sent: 1, size: 2 }],
      ["data/c.txt", provided("data/c.txt")],
    ]);
    expect(overviewFiles(inputs, files)).toMatchObject({ missing: ["a.txt"], uploading: 1 });
    expect(providedFiles(files)).toHaveLength(1);
  });

  it("gives a dropped file the place the text means, if only one fits", () => {
    expect(destinationFor("c.txt", inputs, new Map())).toBe("data/c.txt");
    expect(destinationFor("a.txt", inputs, new Map())).toBe("a.txt");
    expect(destinationFor("z.txt", inputs, new Map())).toBe("z.txt");
    expect(
      destinationFor("c.txt", [...inputs, { name: "other/c.txt", source: "other/c.txt", neededBy: 0 }], new Map()),
    ).toBe("c.txt");
  });
});
