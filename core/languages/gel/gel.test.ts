import { describe, expect, it } from "vitest";
import { graph } from "@/core/languages/written-again-for-tests";
import { parseGel } from ".";

const tasks = ["a", "b", "c", "d"].map((name) => `${name} = {exec="${name}.exe"}\n`).join("");
const edges = (line: string) => {
  const { application, problems } = parseGel(tasks + line);
  expect(problems).toEqual([]);
  return graph(application).edges;
};

describe("GEL", () => {
  it("binds | tighter than ;", () => {
    expect(edges("a; b | c; d")).toEqual(["a>b", "a>c", "b>d", "c>d"]);
  });

  it("takes parentheses, a last semicolon and comments", () => {
    expect(edges("(a; b) | (c; d); # done")).toEqual(["a>b", "c>d"]);
    expect(edges("(a | b); (c; d)")).toEqual(["a>c", "b>c", "c>d"]);
  });

  it("a task that is used again is another task", () => {
    expect(edges("a; b; a")).toEqual(["a>b", "b>a.2"]);
  });

  it("reads programs, directories and arguments", () => {
    const { application } = parseGel('x = {exec="p"; dir="/opt/"; args="-v", "a b"}\nx');
    expect(graph(application).commands).toEqual([
      JSON.stringify([{ is: "exec", executable: "/opt/p", arguments: ["-v", "a b"] }, [], []]),
    ]);
  });

  it.each([
    [`${tasks}a; e`, "gel/unknown-task", 5, 4],
    [`${tasks}a |`, "gel/syntax", 5, 4],
    [`${tasks}(a; b`, "gel/syntax", 5, 6],
    [`${tasks}pfor i = 1 to 3 do a`, "gel/not-read", 5, 1],
    [`${tasks}while a`, "gel/not-read", 5, 1],
    ['x = {dir="/a"}\nx', "gel/no-program", 1, 1],
    ['x = {exec="a\n"}\nx', "gel/unclosed-quote", 1, 11],
    [tasks, "gel/no-program", 1, 1],
    ["", "gel/no-program", 1, 1],
    [`${tasks}${"(".repeat(300)}a`, "gel/too-deep", 5, 201],
  ])("%j: %s at line %i, column %i", (text, code, line, column) => {
    expect(parseGel(text).problems).toContainEqual(
      expect.objectContaining({ severity: "error", code, at: expect.objectContaining({ line, column }) }),
    );
  });
});
