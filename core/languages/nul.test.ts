import { describe, expect, it } from "vitest";
import { parseWorkflow } from ".";

describe("a NUL character", () => {
  it.each([
    ["gridadl", 'task A -e "x"\ntask B\0 -e y\n', { line: 2, column: 7 }],
    ["dagman", "JOB A {\nexecutable = /x\narguments = a\0b\n}\n", { line: 3, column: 14 }],
    ["gridway", "EXECUTABLE = /bin/l\0s\nARGUMENTS = -l\n", { line: 1, column: 20 }],
    [
      "wfformat",
      '{"schemaVersion":"1.5","workflow":{"specification":{"tasks":[\n{"id":"a\\u0000","name":"a"}]}}}',
      { line: 2, column: 7 },
    ],
  ])("is refused in %s, where it stands", (format, text, at) => {
    const parsed = parseWorkflow(text);
    expect(parsed.format).toBe(format);
    expect(parsed.problems).toContainEqual(
      expect.objectContaining({ severity: "error", code: `${format}/nul`, at: expect.objectContaining(at) }),
    );
  });
});
