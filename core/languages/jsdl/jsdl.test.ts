import { describe, expect, it } from "vitest";
import { parseWorkflow } from "@/core/languages";
import { buildWorkflow } from "@/core/workflow/build";
import { parseJsdl, printJsdl } from ".";

const plain = `<?xml version="1.0"?>
<jsdl:JobDefinition xmlns:jsdl="http://schemas.ggf.org/jsdl/2005/11/jsdl">
  <jsdl:JobDescription>
    <jsdl:JobIdentification><jsdl:JobName>count</jsdl:JobName></jsdl:JobIdentification>
    <jsdl:Application>
      <jsdl-posix:POSIXApplication>
        <jsdl-posix:Executable>/usr/bin/wc</jsdl-posix:Executable>
        <jsdl-posix:Argument>-l</jsdl-posix:Argument>
        <jsdl-posix:Argument>two words</jsdl-posix:Argument>
        <jsdl-posix:Input>in.txt</jsdl-posix:Input>
        <jsdl-posix:Output>out.txt</jsdl-posix:Output>
        <jsdl-posix:Error>err.txt</jsdl-posix:Error>
        <jsdl-posix:Environment name="LANG">C</jsdl-posix:Environment>
        <jsdl-posix:WallTimeLimit>60</jsdl-posix:WallTimeLimit>
      </jsdl-posix:POSIXApplication>
    </jsdl:Application>
    <jsdl:Resources>
      <jsdl:CandidateHosts><jsdl:HostName>n1</jsdl:HostName><jsdl:HostName>n2</jsdl:HostName></jsdl:CandidateHosts>
      <jsdl:OperatingSystem><jsdl:OperatingSystemType><jsdl:OperatingSystemName>LINUX</jsdl:OperatingSystemName></jsdl:OperatingSystemType></jsdl:OperatingSystem>
      <jsdl:CPUArchitecture><jsdl:CPUArchitectureName>x86_64</jsdl:CPUArchitectureName></jsdl:CPUArchitecture>
      <jsdl:TotalCPUCount><jsdl:Exact>4.0</jsdl:Exact></jsdl:TotalCPUCount>
      <jsdl:IndividualPhysicalMemory><jsdl:LowerBoundedRange>1073741824</jsdl:LowerBoundedRange></jsdl:IndividualPhysicalMemory>
      <jsdl:NetworkBandwidth/>
    </jsdl:Resources>
    <jsdl:DataStaging>
      <jsdl:FileName>data.bin</jsdl:FileName>
      <jsdl:Source><jsdl:URI>http://example.org/data.bin</jsdl:URI></jsdl:Source>
    </jsdl:DataStaging>
    <jsdl:DataStaging><jsdl:FileName>result.bin</jsdl:FileName><jsdl:Target/></jsdl:DataStaging>
  </jsdl:JobDescription>
</jsdl:JobDefinition>`;

describe("plain JSDL", () => {
  it("is one task: streams, files, environment, resources, requirement", () => {
    const parsed = parseWorkflow(plain, "x.txt");
    expect(parsed.format).toBe("jsdl");
    expect(parsed.problems.map(({ code, message }) => [code, message])).toEqual([
      ["jsdl/not-kept", "<jsdl:NetworkBandwidth> in <jsdl:Resources> is not kept: nothing here corresponds to it."],
      ["jsdl/not-kept", expect.stringContaining("Addresses (URI)")],
    ]);
    expect(buildWorkflow(parsed.application).workflow.task(0)).toMatchObject({
      name: "count",
      command: { is: "exec", executable: "/usr/bin/wc", arguments: ["-l", "two words"] },
      stdin: "in.txt",
      stdout: "out.txt",
      stderr: "err.txt",
      inputs: ["data.bin", "in.txt"],
      outputs: ["result.bin", "out.txt", "err.txt"],
      environment: [{ name: "LANG", value: "C" }],
      resources: { cores: 4, memoryBytes: 1_073_741_824, wallSeconds: 60 },
      requirement: '(Machine == "n1" || Machine == "n2") && Arch == "X86_64" && OpSys == "LINUX"',
    });
  });

  it("says what it is not when the XML is something else", () => {
    expect(parseWorkflow("<html><body/></html>").problems).toMatchObject([
      { severity: "error", code: "jsdl/unknown-xml", at: { line: 1, column: 1 } },
    ]);
  });

  it("gives jobs of one name numbers, since tasks need names of their own", () => {
    const job = "<JobDescription><JobIdentification><JobName>a</JobName></JobIdentification></JobDescription>";
    const { application } = parseJsdl(`<JobDefinition>${job.repeat(3)}</JobDefinition>`);
    const { workflow } = buildWorkflow(application);
    expect([0, 1, 2].map((task) => workflow.name(task))).toEqual(["a", "a.2", "a.3"]);
  });
});

describe("written JSDL", () => {
  it("tells what it cannot say", () => {
    const { application } = parseWorkflow(
      'graph independent\ntask A -e "cat < a > b" -i a -o b\ntask B -e true done\n',
    );
    const { problems, text } = printJsdl({ ...application, dependencies: [{ before: "A", after: "B" }] });
    expect(text).toContain("<jsdl-posix:Argument>cat &lt; a &gt; b</jsdl-posix:Argument>");
    expect(problems.map(({ code }) => code)).toEqual([
      "jsdl/cannot-say-task-done",
      "jsdl/cannot-say-hint",
      "jsdl/cannot-say-dependencies",
    ]);
  });

  it("refuses a bag that no document could hold", () => {
    const { application } = parseWorkflow("foreach N in 1..1000000 {\n task -e true\n}\n");
    expect(printJsdl(application).problems).toMatchObject([{ severity: "error", code: "jsdl/too-many-tasks" }]);
  });
});
