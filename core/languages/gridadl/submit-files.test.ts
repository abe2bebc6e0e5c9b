/** A `-e` that names a Condor submit file that came along (thesis, Figure F.8). */
import { describe, expect, it } from "vitest";
import { parseWorkflow } from "@/core/languages";
import { sentenceOf } from "@/core/problem";
import { buildWorkflow } from "@/core/workflow/build";
import { parseGridAdl } from ".";

const read = (text: string, files: Record<string, string | undefined>) =>
  parseGridAdl(text, { readFile: (name) => files[name] });

function tasks(text: string, files: Record<string, string | undefined>) {
  const { application, problems } = read(text, files);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  const { workflow } = buildWorkflow(application);
  return Array.from({ length: workflow?.taskCount ?? 0 }, (_, i) => workflow!.task(i));
}

const figure = `graph loosely-coupled
task A -e A.sub -i data.in -o a.out
task B -e B.sub -i a.out -o b.out
task C -e C.sub -i a.out -o c.out
task D -e D.sub -i b.out c.out -o data.out
`;

describe("submit files named by -e", () => {
  it("say what the tasks of Figure F.8 run", () => {
    const files = Object.fromEntries(
      ["A", "B", "C", "D"].map((name) => [
        `${name}.sub`,
        `executable = /bin/work${name}\narguments = -x $(JOB)\nqueue\n`,
      ]),
    );
    const described = tasks(figure, files);
    expect(described.map(({ name, command }) => [name, command])).toEqual([
      ["A", { is: "exec", executable: "/bin/workA", arguments: ["-x", "A"] }],
      ["B", { is: "exec", executable: "/bin/workB", arguments: ["-x", "B"] }],
      ["C", { is: "exec", executable: "/bin/workC", arguments: ["-x", "C"] }],
      ["D", { is: "exec", executable: "/bin/workD", arguments: ["-x", "D"] }],
    ]);
    expect(described[3]).toMatchObject({ inputs: ["b.out", "c.out"], outputs: ["data.out"] });
  });

  it("bring their files, streams, resources and requirement; the line adds its own", () => {
    const sub = [
      "executable = work.sh",
      "input = words.txt",
      "output = a.out",
      "transfer_input_files = table.csv",
      "request_memory = 2G",
      'requirements = OpSys == "LINUX"',
      "queue",
    ].join("\n");
    const text = `task A -e A.sub -i "words.txt" extra.txt -o a.out b.out -c 3 -r "Memory > 64"\n`;
    const { application } = read(text, { "A.sub": sub });
    expect(application.groups[0]?.task).toMatchObject({
      weight: 3,
      resources: { memoryBytes: 2 * 1024 ** 3 },
      requirement: { text: '(OpSys == "LINUX") && (Memory > 64)' },
    });
    const [task] = tasks(text, { "A.sub": sub });
    expect(task).toMatchObject({
      inputs: ["work.sh", "words.txt", "table.csv", "extra.txt"],
      outputs: ["a.out", "b.out"],
    });
  });

  it("serve every task of a loop, with the arguments of each", () => {
    const text = 'foreach n in 1..3 {\n  task t${n} -e work.sub -a "${n}" -o out.${n}\n}\n';
    const { application } = read(text, { "work.sub": "executable = /bin/echo\narguments = none\n" });
    expect(application.groups).toHaveLength(1);
    const unfolded = tasks(text, { "work.sub": "executable = /bin/echo\narguments = none\n" });
    expect(unfolded.map(({ command, outputs }) => [command, outputs])).toEqual([
      [{ is: "exec", executable: "/bin/echo", arguments: ["1"] }, ["out.1"]],
      [{ is: "exec", executable: "/bin/echo", arguments: ["2"] }, ["out.2"]],
      [{ is: "exec", executable: "/bin/echo", arguments: ["3"] }, ["out.3"]],
    ]);
  });

  it("tell what is wrong in them where they are named, with their own file, line and column", () => {
    const { problems } = read("\ntask A -e A.sub -o a\n", { "A.sub": "executable = x\nnonsense\nqueue\n" });
    expect(problems).toMatchObject([
      { severity: "error", at: { line: 2, column: 1 }, inFile: { name: "A.sub", at: { line: 2, column: 1 } } },
    ]);
    expect(sentenceOf(problems[0]!)).toMatch(/^A\.sub:2:1: /);
  });

  it("must queue one job each", () => {
    const { application, problems } = read("task A -e A.sub\n", { "A.sub": "executable = /bin/x\nqueue 3\n" });
    expect(problems.map(({ message }) => message)).toEqual([
      'A task is one job; "A.sub" queues 3. Use foreach for several.',
    ]);
    expect(application.groups).toEqual([]);
  });

  it("are programs if they are not there or do not read like a description", () => {
    for (const files of [{}, { "A.sub": "#!/bin/sh\necho hello\n" }]) {
      expect(tasks("task A -e A.sub\n", files)[0]?.command).toMatchObject({ executable: "A.sub" });
    }
  });

  it("are asked for only by names that submit files have", () => {
    const asked: string[] = [];
    parseWorkflow('task A -e A.sub\ntask B -e b.exe\ntask C -e "c.sub; d"\n', "x.gadl", (name) => {
      asked.push(name);
      return undefined;
    });
    expect(asked).toEqual(["A.sub"]);
  });
});
