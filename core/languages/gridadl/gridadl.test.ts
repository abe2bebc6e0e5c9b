import { describe, expect, it } from "vitest";
import { buildWorkflow } from "@/core/workflow/build";
import type { TaskSpec } from "@/core/workflow/workflow";
import { parseGridAdl } from ".";

function tasksOf(text: string): TaskSpec[] {
  const { application, problems } = parseGridAdl(text);
  expect(problems).toEqual([]);
  const { workflow } = buildWorkflow(application);
  return Array.from({ length: workflow.taskCount }, (_, task) => workflow.task(task));
}

function errorsOf(text: string): string[] {
  return parseGridAdl(text).problems.map(({ code, at }) => `${at?.line}:${at?.column} ${code.replace("gridadl/", "")}`);
}

describe("tasks", () => {
  it("separates files by blanks and semicolons, and keeps quoted blanks", () => {
    const [task] = tasksOf('task -e p -i a;b c ; "my file.txt";"d;e" -o "x y"');
    expect(task?.inputs).toEqual(["a", "b", "c", "my file.txt", "d", "e"]);
    expect(task?.outputs).toEqual(["x y"]);
  });

  it("takes quotes, semicolons and unicode in file names", () => {
    const [task] = tasksOf(String.raw`task -e p -i "say \"hi\".txt" "a\;b.txt" Größe.dat it's.txt -o "数据.csv"`);
    expect(task?.inputs).toEqual(['say "hi".txt', "a;b.txt", "Größe.dat", "it's.txt"]);
    expect(task?.outputs).toEqual(["数据.csv"]);
  });

  it("joins several words after -a and splits them as a shell would, without expansion", () => {
    const [task] = tasksOf(`task -e p -a -5 "-n *" 'two words' "\\"quoted one\\" $HOME" -o x`);
    expect(task?.command).toEqual({
      is: "exec",
      executable: "p",
      arguments: ["-5", "-n", "*", "two words", "quoted one", "$HOME"],
    });
  });

  it("runs only a quoted -e with blanks or shell characters by a shell", () => {
    const commands = tasksOf('p = "./prog"\ntask -e ${p}\ntask -e "./prog"\ntask -e "prog>out"\ntask -e "${p} -x"').map(
      ({ command }) => command,
    );
    expect(commands).toEqual([
      { is: "exec", executable: "./prog", arguments: [] },
      { is: "exec", executable: "./prog", arguments: [] },
      { is: "shell", line: "prog>out" },
      { is: "shell", line: "./prog -x" },
    ]);
  });

  it("gives a shell the arguments quoted, since they are never expanded", () => {
    const [task] = tasksOf(`task -e "sort -n" -a "'my file' *"`);
    expect(task?.command).toEqual({ is: "shell", line: "sort -n 'my file' '*'" });
  });

  it("leaves the shell's own variables and backslashes in command lines alone", () => {
    const [task] = tasksOf(String.raw`task -e "for i in 1 2; do printf '%s\n' $i \${HOME}; done" -o x`);
    expect(task?.command).toEqual({
      is: "shell",
      line: String.raw`for i in 1 2; do printf '%s\n' $i ${"$"}{HOME}; done`,
    });
  });

  it("reads weights and done marks", () => {
    const tasks = tasksOf("W = 2.5\ntask a -e p -c 3\ntask b -e p -c ${W} done\ntask c -e p\n  -o x done\n");
    expect(tasks.map(({ weight, done }) => [weight, done])).toEqual([
      [3, false],
      [2.5, true],
      [1, true],
    ]);
  });

  it("tells done after a task from done that closes a block", () => {
    expect(tasksOf("foreach i in 1..2\ndo\n  task ${i} -e p -o ${i} done\ndone").map(({ done }) => done)).toEqual([
      true,
      true,
    ]);
  });

  it("continues lines that end in a backslash and ignores comments", () => {
    const [task] = tasksOf("# first\ntask a -e p \\\n  -i x#y # rest -o no\n\n # between\n  -o out");
    expect(task).toMatchObject({ inputs: ["x#y"], outputs: ["out"] });
  });

  it("reads Windows line ends and a byte order mark", () => {
    expect(tasksOf("\ufefftask a -e p\r\n  -o x\r\ntask b -e p -i x\r\n").map(({ name }) => name)).toEqual(["a", "b"]);
  });
});

describe("variables and expressions", () => {
  const valueOfX = (expression: string): string =>
    tasksOf(`N = 4\nS = "ab"\nX = ${expression}\ntask "\${X}" -e p`)[0]!.name;

  it.each([
    ['${S} + "-" + ${N} + ".png"', "ab-4.png"],
    ['"t.out."${N}', "t.out.4"],
    ["out${N}.png", "out4.png"],
    ["${S}/sub/file-1.txt", "ab/sub/file-1.txt"],
    ["/usr/bin/awk", "/usr/bin/awk"],
    ["${N} + 1", "5"],
    ["${N} * 2 - 3 ^ 2", "-1"],
    ["(${N} + 2) / 3", "2"],
    ["2 ^ 3 ^ 2", "512"],
    ["-${N} + 1", "-3"],
    ['"${N}" + 1', "41"],
    ['${S} +\n  "c"', "abc"],
  ])("%s is %s", (expression, value) => {
    expect(valueOfX(expression)).toBe(value);
  });

  it("decides conditions", () => {
    const names = (condition: string): string[] =>
      tasksOf(`N = 4\nS = "ab"\nif ${condition} {\n task yes -e p\n}\nelse\n{ task no -e p }`).map(({ name }) => name);
    expect(names("(${N} == 4)")).toEqual(["yes"]);
    expect(names('((${N} > 10) || (${S} == "ab"))')).toEqual(["yes"]);
    expect(names('(${N} >= 4 && ${S} != "ab")')).toEqual(["no"]);
    expect(names("(${N} + 1) * 2 < 9")).toEqual(["no"]);
  });

  it("keeps the requirement as a ClassAd expression", () => {
    const { application, problems } = parseGridAdl("requirement = ((SysOp == LINUX) && (Memory >= 512))\ntask -e p");
    expect(application.requirement?.text).toBe('OpSys == "LINUX" && Memory >= 512');
    expect(problems).toEqual([]);
    const quoted = parseGridAdl('requirement = "member(Arch, {\\"X86_64\\", \\"aarch64\\"})"\ntask -e p').application;
    expect(quoted.requirement?.text).toBe('member(Arch, {"X86_64", "aarch64"})');
  });

  it("says where a requirement is wrong", () => {
    const at = (text: string) => parseGridAdl(text).problems.map(({ code, at }) => `${at?.line}:${at?.column} ${code}`);
    expect(at("requirement = (Memory >= 512 &&\n  && Arch == INTEL)\ntask -e p")[0]).toMatch(/^2:3 expression\//);
    expect(at('\ntask -e p -r "Memory >= >= 512"')[0]).toMatch(/^2:25 expression\//);
    expect(at('task -e p -r "nofunction(3) > Memory"')).toContain("1:15 expression/unknown-function");
  });
});

describe("what a task needs", () => {
  const requirementsOf = (text: string) => {
    const { workflow } = buildWorkflow(parseGridAdl(text).application);
    return Array.from({ length: workflow.taskCount }, (_, task) => workflow.task(task).requirement);
  };

  it("is said with -r, beside what the application needs", () => {
    const text = 'M = 512\nrequirement = (SysOp == LINUX)\ntask -e p -r "Memory >= ${M}"\ntask -e p';
    expect(requirementsOf(text)).toEqual(['(OpSys == "LINUX") && (Memory >= 512)', 'OpSys == "LINUX"']);
  });

  it("may depend on a loop, which is then opened", () => {
    expect(requirementsOf('foreach m in {1;2} { task -e p -r "Memory > ${m}" }')).toEqual(["Memory > 1", "Memory > 2"]);
  });
});

describe("variables of the run time", () => {
  it("stay in the text for the host, but the number of the task is filled in", () => {
    const [first, second] = tasksOf(
      'foreach i in {a;b} { task -e prog.${GW_ARCH} -a "-s ${GW_TASK_ID} ${GW_JOB_ID}" -o out.${GW_TASK_ID} log.${GW_JOB_ID} }',
    );
    expect(first).toMatchObject({
      command: { executable: "prog.${GW_ARCH}", arguments: ["-s", "0", "${GW_JOB_ID}"] },
      outputs: ["out.0", "log.${GW_JOB_ID}"],
    });
    expect(second?.outputs).toEqual(["out.1", "log.${GW_JOB_ID}"]);
  });

  it("link tasks by the names they give", () => {
    const text =
      "task -e p -o x.${GW_TASK_ID}\ntask -e p -i x.0 -o x.${GW_TASK_ID}\ntask -e p -o ${GW_JOB_ID}\ntask -e p -o ${GW_JOB_ID}";
    const { workflow, problems } = buildWorkflow(parseGridAdl(text).application);
    expect(problems).toEqual([]);
    expect([...workflow.successors.targets]).toEqual([1]);
  });
});

describe("the order of tasks without a file between them", () => {
  const edgesOf = (text: string): string[] => {
    const { application, problems } = parseGridAdl(text);
    expect(problems).toEqual([]);
    const { workflow } = buildWorkflow(application);
    const { offsets, targets } = workflow.successors;
    return Array.from({ length: workflow.taskCount }, (_, task) =>
      Array.from(
        targets.subarray(offsets[task], offsets[task + 1]),
        (to) => `${workflow.name(task)} ${workflow.name(to)}`,
      ),
    ).flat();
  };

  it("is said with parent and child, in loops too", () => {
    const tasks = 'task a -e p\ntask b -e p\ntask "c d" -e p\n';
    expect(edgesOf(`${tasks}parent a; b child "c d"`)).toEqual(["a c d", "b c d"]);
    expect(edgesOf(`${tasks}X = "a;b"\nparent \${X} child "c d"`)).toEqual(["a c d", "b c d"]);
    expect(edgesOf("foreach i in 1..2 {\n task t${i} -e p\n parent t${i} child end\n}\ntask end -e p")).toEqual([
      "t1 end",
      "t2 end",
    ]);
  });

  it("has a task that comes last, whatever happened", () => {
    expect(parseGridAdl("task a -e p\ntask z -e p\nfinal z").application.finalTask).toBe("z");
    expect(errorsOf("task a -e p\nfinal a b")).toEqual(["2:9 unexpected"]);
    expect(errorsOf("task a -e p\ntask b -e p\nfinal a\nfinal b")).toEqual(["4:1 final"]);
  });

  it("leaves variables of these names alone", () => {
    expect(tasksOf("parent = 3\nfinal = 4\ntask ${parent}${final} -e p")[0]?.name).toBe("34");
  });

  it("says what is missing", () => {
    expect(errorsOf("task a -e p\nparent a\nparent child a\nparent a child\nfinal")).toEqual([
      "2:9 unexpected",
      "3:8 unexpected",
      "4:15 unexpected",
      "5:6 unexpected",
    ]);
  });
});

describe("loops", () => {
  it("walks sets and nested loops in both block styles", () => {
    const names = tasksOf('foreach a in {x; "y z"; w}\ndo\nforeach ${b} in 1..2 { task ${a}-${b} -e p }\ndone').map(
      ({ name }) => name,
    );
    expect(names).toEqual(["x-1", "x-2", "y z-1", "y z-2", "w-1", "w-2"]);
  });

  it("walks ranges with steps, up and down", () => {
    const names = (range: string) => tasksOf(`foreach i in ${range} { task t\${i} -e p }`).map(({ name }) => name);
    expect(names("1..10 step 4")).toEqual(["t1", "t5", "t9"]);
    expect(names("3..-3 step -3")).toEqual(["t3", "t0", "t-3"]);
    expect(errorsOf("foreach i in 1..9 step 0 { task -e p }")).toEqual(["1:14 bad-range"]);
    expect(errorsOf("foreach i in 1..9 step -1 { task -e p }")).toEqual(["1:14 bad-range"]);
  });

  it("walks products of ranges and sets in one head", () => {
    const text = "foreach a in {x;y} and n in 1..5 step 4 and m in {q} { task ${a}${n}${m} -e p }";
    expect(tasksOf(text).map(({ name }) => name)).toEqual(["x1q", "x5q", "y1q", "y5q"]);
    expect(parseGridAdl(text).application.groups).toHaveLength(1);
  });

  it("numbers the tasks of a body in turns, as they are created", () => {
    const text =
      "foreach i in 1..2 {\n task -e a -o a${i}\n foreach j in 1..2 { task -e b -o b${i}${j} }\n task -e c -o c${i}\n}\ntask -e d -o d";
    const tasks = tasksOf(text);
    expect(parseGridAdl(text).application.groups).toHaveLength(4);
    expect(tasks.map(({ outputs }) => outputs[0])).toEqual(["a1", "b11", "b12", "c1", "a2", "b21", "b22", "c2", "d"]);
    expect(tasks.map(({ name }) => name)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  });

  it("stays folded with variables that are set anew in each turn", () => {
    const { application } = parseGridAdl(
      'foreach i in 1..1000000 {\n F = "out" + ${i} + ".dat"\n task ${F} -e p -o ${F}\n}',
    );
    expect(application.groups).toHaveLength(1);
    expect(
      buildWorkflow(
        parseGridAdl('foreach i in 1..9 {\n F = "o" + ${i}\n task ${F} -e p\n}\ntask ${F}${i} -e q').application,
      ).workflow.name(9),
    ).toBe("o99");
  });

  it("opens a loop that calculates or decides with its variable", () => {
    const tasks = tasksOf("foreach i in 1..4 {\n J = ${i} * 2\n if (${J} > 4) { task t${J} -e p -c ${i} }\n}");
    expect(tasks.map(({ name, weight }) => [name, weight])).toEqual([
      ["t6", 3],
      ["t8", 4],
    ]);
  });

  it("keeps the outer loop folded around an inner one that grows a string", () => {
    const text =
      'foreach i in 1..3 {\n L = ""\n foreach j in 1..2 { L = ${L} + ";in" + ${i} + "." + ${j} }\n task -e p -i ${L}\n}';
    expect(parseGridAdl(text).application.groups).toHaveLength(1);
    expect(tasksOf(text).map(({ inputs }) => inputs)).toEqual([
      ["in1.1", "in1.2"],
      ["in2.1", "in2.2"],
      ["in3.1", "in3.2"],
    ]);
  });

  it("keeps variables of the same name in nested loops apart", () => {
    const text = 'foreach i in 1..2 {\n X = "x" + ${i}\n foreach i in 8..9 { task ${X}-${i} -e p }\n}';
    expect(tasksOf(text).map(({ name }) => name)).toEqual(["x1-8", "x1-9", "x2-8", "x2-9"]);
  });

  it("gives a folded and an opened loop the same tasks", () => {
    const body = (extra: string): string =>
      `foreach i in {a;7;c} {\n${extra} Y = \${i} + "_"\n task \${Y} -e p -i \${i}.in -o \${Y}\n}\ntask \${Y}\${i} -e q`;
    expect(tasksOf(`K = ""\n${body('K = ${K} + "x"\n')}`)).toEqual(tasksOf(body("")));
  });
});

describe("errors", () => {
  it("reports all errors of a text, each at its place", () => {
    const text =
      'tusk A\ntask B -i x\nforeach i in 1..3 {\n task ${j} -e "x\n if (${i} = 2) { task -e a }\n}\ntask C -e p q';
    expect(errorsOf(text)).toEqual([
      "1:1 unknown-keyword",
      "2:1 missing-executable",
      "4:7 unknown-variable",
      "4:15 unclosed-quote",
      "5:11 unexpected",
      "7:13 unexpected",
    ]);
  });

  it("does not report what follows from an error already reported", () => {
    expect(errorsOf("foreech i in 1..3 {\n X = 1\n task ${i} -e p\n}\ntask ${X} -e p")).toEqual([
      "1:1 unknown-keyword",
    ]);
    expect(errorsOf("foreach i in 3..1 {\n X = 1\n task ${i} -e p\n}\ntask ${X} -e p")).toEqual(["1:14 bad-range"]);
    expect(errorsOf("X = 1 +\ntask ${X} -e p")).toEqual(["2:6 unexpected"]);
    expect(errorsOf("foreach i in 1..2\ntask ${i} -e p")).toEqual(["1:18 missing-block"]);
  });

  it("finds the block that is not closed among nested ones", () => {
    expect(errorsOf("foreach i in 1..2\ndo\n foreach j in 1..2 {\n task -e p\ndone")).toEqual(["3:20 unclosed-block"]);
    expect(errorsOf("foreach i in 1..2 {\n task -e p\ndone\n}")).toEqual(["3:1 stray-end"]);
  });

  it("names what was expected and what was found", () => {
    const message = (text: string): string | undefined => parseGridAdl(text).problems[0]?.message;
    expect(message("foreach i of 1..2 { task -e p }")).toBe('Expected "in", found "of".');
    expect(message("taks A -e p")).toBe('Unknown keyword "taks"; did you mean "task"?');
    expect(message("task A -e p -a -n 5")).toContain("goes in quotes");
  });

  it("refuses what would take all memory, and goes no deeper than it can", () => {
    expect(errorsOf("foreach i in 1..1000 {\nforeach j in 1..1000 {\nforeach k in 1..1000 { task -e p } } }")).toEqual([
      "1:1 too-many-tasks",
    ]);
    expect(errorsOf('X = "ab"\nforeach i in 1..100 { X = ${X} + ${X} }')).toEqual(["2:27 too-long"]);
    expect(errorsOf(`${"foreach i in 1..2 {\n".repeat(200)}task -e p\n${"}\n".repeat(200)}`)).toEqual([
      "65:19 too-deep",
    ]);
    expect(errorsOf(`X = ${"(".repeat(100_000)}`)).toEqual(["1:70 too-deep"]);
    expect(errorsOf(`X = 1${" + 1".repeat(50_000)}\ntask "\${X}" -e p`)).toEqual([]);
  });

  it("stops after a hundred errors and says where the next one is", () => {
    const { problems } = parseGridAdl("nonsense\n".repeat(5000));
    expect(problems).toHaveLength(101);
    expect(problems[100]?.message).toContain("more errors than these 100");
    expect(problems[100]?.at?.line).toBe(101);
  });
});
