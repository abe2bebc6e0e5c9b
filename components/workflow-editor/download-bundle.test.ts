import { describe, expect, it } from "vitest";
import { targets } from "@/core/languages/convert";
import { checkWorkflow } from "@/core/workflow/check";
import type { Description } from "./description";
import { asItIs, converted, fileOf } from "./download-bundle";

const text = "JOB A a.sub\n";
const description: Description = { name: "w.dag", text, companions: new Map([["a.sub", "queue\n"]]) };

describe("a download", () => {
  it("of one text is that text, named after the workflow", () => {
    const { application } = checkWorkflow("task A -e true -o a.out\ntransient a.out\n");
    const dagman = targets.find(({ name }) => name === "dagman")!;
    const { bundle, problems } = converted(dagman, application, 'my: "flow"/1');
    expect(fileOf(bundle)).toEqual({ name: "my flow 1.dag", content: expect.stringContaining("JOB A") });
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining("transient")]);
  });

  it("of a workflow in several files is a zip of them", () => {
    const { name, content } = fileOf(asItIs(description, "W"));
    expect(name).toBe("W.zip");
    const bytes = Buffer.from(content).toString("latin1");
    expect(bytes).toMatch(/^PK.*w\.dagJOB A a\.sub\n.*a\.subqueue\n/s);
  });

  it("of a text that came in no file gets its format's ending", () => {
    expect(fileOf(asItIs({ text: "task -e true", companions: new Map() }, "", "gridadl")).name).toBe("workflow.gadl");
  });
});
