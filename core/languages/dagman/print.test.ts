/** DAGs written: read again, they give the same graph and the same tasks. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseGridAdl } from "@/core/languages/gridadl";
import { examples, graph, gridadlExamples } from "@/core/languages/written-again-for-tests";
import type { Application } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";
import { parseDagman, printDagman, printRescue } from ".";

describe("a DAG written and read again", () => {
  it.each(gridadlExamples)("is the same as %s", (path) => {
    const { application } = parseGridAdl(readFileSync(new URL(path, examples), "utf8"));
    const { text } = printDagman(application);
    const read = parseDagman(text);
    expect(read.problems).toEqual([]);
    expect(graph(read.application)).toEqual(graph(application));
  });

  it("keeps everything a DAG can say", () => {
    const source = `JOB A {
  executable = prog
  arguments = "'two words' $(DOLLAR)(x) ""q"" it''s"
  environment = "A=1 B='x y'"
  input = in.txt
  output = o.txt
  error = e.txt
  transfer_input_files = a.dat, b c.dat
  transfer_output_files = r.dat
  requirements = Memory > 100 && Arch == "X86_64"
  rank = KFlops
  request_cpus = 2
  request_memory = 1G
  request_disk = 5
  request_gpus = 1
  allowed_job_duration = 60
  queue 2
}
JOB B x NOOP
FINAL Z {
  executable = /bin/date
}
RETRY A 2 UNLESS-EXIT 3
SCRIPT PRE A before $JOB
SCRIPT POST A after $RETURN
PRIORITY A 9
CATEGORY A c
MAXJOBS c 4
PARENT A CHILD B
`.replace("queue 2\n", "");
    const first = parseDagman(source);
    expect(first.problems).toEqual([]);
    const second = parseDagman(printDagman(first.application).text);
    expect(second.problems).toEqual([]);
    const withoutPlaces = (application: Application) =>
      JSON.parse(JSON.stringify(application, (key, value) => (key === "at" ? undefined : value)));
    expect(withoutPlaces(second.application)).toEqual(withoutPlaces(first.application));
  });

  it("shares one description among the tasks of a loop", () => {
    const { application } = parseGridAdl(
      "foreach i in 1..50 {\n task t${i} -e prog -a ${i} -i prog x${i} -o y${i}\n}\n",
    );
    const { text } = printDagman(application);
    expect(text.match(/executable/g)).toHaveLength(1);
    expect(text).toContain('VARS t50 loop_i="50"');
    expect(graph(parseDagman(text).application)).toEqual(graph(application));
  });

  it("warns of what it cannot say, and of names it had to change", () => {
    const { application } = parseGridAdl('graph loosely-coupled\ntask "my task" -e a -o b -c 3\ntransient b\n');
    const { text, problems } = printDagman(application);
    expect(text).toContain("JOB my_task {");
    expect(problems.map(({ message }) => message).join("\n")).toMatch(/weight 3/);
    expect(problems.every(({ severity }) => severity === "warning")).toBe(true);
  });
});

describe("a rescue DAG", () => {
  it("marks what is finished, and is a DAG itself", () => {
    const dag = "JOB A {\nexecutable = /a\n}\nJOB B {\nexecutable = /b\n}\nPARENT A CHILD B\n";
    const { application } = parseDagman(dag);
    const { text } = printRescue(application, (task) => task === 0);
    const read = parseDagman(text);
    expect(read.problems).toEqual([]);
    expect(read.application.groups.map(({ task }) => task.done)).toEqual([true, false]);
    expect(graph(read.application).edges).toEqual(["A>B"]);
  });

  it("is a rescue DAG that makes transient files again for those who still need them", () => {
    const text = `task a -e p -o a.out
task b -e p -i a.out -o b.tmp
task c -e p -i b.tmp -o c.tmp
task d -e p -i c.tmp -o d.out
task e -e p -i c.tmp -o e.out
transient b.tmp c.tmp
`;
    const { application } = parseGridAdl(text);
    const doneAfter = (finished: string) => {
      const rescue = printRescue(application, (task) => finished.includes("abcde"[task]!));
      const { workflow } = buildWorkflow(parseDagman(rescue.text).application);
      return Array.from({ length: 5 }, (_, task) => (workflow.task(task).done ? workflow.name(task) : "")).join("");
    };
    // e is left: it reads c.tmp, so c runs again, which reads b.tmp, so b does too; a.out is there.
    expect(doneAfter("abcd")).toBe("ad");
    expect(doneAfter("abcde")).toBe("abcde");
    expect(doneAfter("a")).toBe("a");
  });
});
