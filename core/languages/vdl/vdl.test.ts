import { describe, expect, it } from "vitest";
import { buildWorkflow } from "@/core/workflow/build";
import { parseVdl } from ".";

const text = `TR align( input reads[], output sam, none threads="4" ) {
  app vanilla = "/usr/bin/align";
  argument = "-t "\${none:threads};
  arg = "--out="\${output:sam};
  arg files = \${reads};
  arg stderr = "align.log";
}
DV one->align( reads=[@{input:"a.fq"}, @{in:b.fq}], sam=@{output:x.sam}, threads="8" );
`;

describe("VDL", () => {
  it("gives a task for each derivation, with arguments from its parameters", () => {
    const { application, problems } = parseVdl(text);
    expect(problems).toEqual([]);
    expect(buildWorkflow(application).workflow.task(0)).toMatchObject({
      name: "one",
      command: { is: "exec", executable: "/usr/bin/align", arguments: ["-t 8", "--out=x.sam", "a.fq", "b.fq"] },
      inputs: ["a.fq", "b.fq"],
      outputs: ["x.sam", "align.log"],
      stderr: "align.log",
    });
  });

  it.each([
    ["TR a() {}\nDV a();", "vdl/no-program", 1, 4],
    ['TR a() { app x = "p"; }\nDV b();', "vdl/unknown-transformation", 2, 4],
    ['TR a() { app x = "p"; }\nDV a(z=@{input:f});', "vdl/unknown-parameter", 2, 6],
    ['TR a(input f) { app x = "p"; arg = ${f}; }\nDV a();', "vdl/missing-parameter", 2, 4],
    ['TR a() { app x = "p"; }', "vdl/no-derivation", 1, 1],
    ["TR a( { }", "vdl/syntax", 1, 7],
    ["DV a(f=@{input:x)", "vdl/syntax", 1, 18],
    ['TR a() { app x = "p }', "vdl/unclosed-quote", 1, 18],
  ])("%j: %s at line %i, column %i", (bad, code, line, column) => {
    const { problems } = parseVdl(bad);
    expect(problems).toContainEqual(
      expect.objectContaining({ severity: "error", code, at: expect.objectContaining({ line, column }) }),
    );
  });

  it("goes on after a statement it cannot read, so that all errors are told", () => {
    const { problems } = parseVdl("TR a( {}\nDV b(x);\nTR c\n");
    expect(problems.map(({ at }) => at?.line)).toEqual([1, 2, 4]);
  });
});
