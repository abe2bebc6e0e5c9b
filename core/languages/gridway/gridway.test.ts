/** What a job template says, and what becomes of it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Template } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";
import { gridway, parseGridway } from ".";

const example = (file: string): string =>
  readFileSync(new URL(`../../../examples/gridway/${file}`, import.meta.url), "utf8");
const text = (template: Template | undefined): string =>
  (template ?? []).map((piece) => ("text" in piece ? piece.text : `<${piece.variable}>`)).join("");
const task = (template: string, files: Record<string, string> = {}) => {
  const { application, problems } = parseGridway(template, { readFile: (name) => files[name] });
  return { task: application.groups[0]?.task, groups: application.groups, problems };
};

describe("the template of Figure 5", () => {
  const files = { "host_req.ldif": example("host_req.ldif"), "rank.sh": "#!/bin/sh\necho 1\n" };
  const { task: made, problems } = task(example("figure5.jt"), files);

  it("gives the task, its variables left for the host that is chosen", () => {
    expect(text(made!.executable)).toBe("NS3D.${GW_ARCH}");
    expect(text(made!.arguments)).toBe("input");
    expect(made!.inputs.map(text)).toEqual(["NS3D.${GW_ARCH}", "input", "grid32.${GW_ARCH}", "pde.sh"]);
    expect(made!.outputs.map(text)).toEqual(["profile.${GW_JOB_ID}", "ns3d.out.${GW_JOB_ID}", "ns3d.err.${GW_JOB_ID}"]);
    expect(made!.stdin).toBeUndefined();
    expect(text(made!.stdout)).toBe("ns3d.out.${GW_JOB_ID}");
    expect(made!.requirement?.text).toBe("FreeMemory >= 512");
  });

  it("passes keys nobody knows on to the evaluator and names what is not kept", () => {
    expect(made!.environment!.map(({ name, value }) => [name, text(value)])).toEqual([["MAX_ITERATION_TIME", "40"]]);
    expect(problems.map(({ severity, at }) => [severity, at?.line])).toEqual([25, 26].map((line) => ["warning", line]));
    const told = problems.map(({ message }) => message.split(" ")[0]);
    expect(told).toEqual(["RANK_FUNCTION_FILE", "MAX_DISCOVERY_TIME"]);
  });

  it("keeps what lets the job move while it runs", () => {
    const { restart, profile, evaluator, requirementFile, rankFile, contract } = made!.adaptive!;
    expect(restart?.map(text)).toEqual(["checkpoint.ascii"]);
    expect([profile, evaluator, requirementFile, rankFile].map(text)).toEqual([
      "perf_profile",
      "pde.sh",
      "host_req.ldif",
      "rank.sh",
    ]);
    // Somebody's own evaluator judges by it.
    expect(contract).toBeUndefined();
  });

  it("lets the portal judge the profile where there is no evaluator", () => {
    const { task: judged } = task(
      "EXECUTABLE = sim\nPROFILE_DFILE = perf\nMAX_ITERATION_TIME = 40\nSUSPENSION_TIMEOUT = 60\n",
    );
    expect(judged!.adaptive).toMatchObject({ contract: { seconds: 40 }, suspensionSeconds: 60 });
    expect(judged!.environment).toBeUndefined();
  });
});

describe("templates of released GridWay", () => {
  it("give an array with requirement, rank, environment and retries", () => {
    const { groups, problems } = task(example("pi.jt"));
    expect(problems).toEqual([]);
    expect(groups).toHaveLength(1);
    expect(groups[0]!.loops).toEqual([{ variable: "GW_TASK_ID", values: { from: 0, to: 19, step: 1 } }]);
    const made = groups[0]!.task;
    expect(text(made.name)).toBe("pi.<GW_TASK_ID>");
    expect(text(made.arguments)).toBe("-v seed=<GW_TASK_ID> -v of=20 -f throw.awk");
    expect(made.requirement?.text).toMatch(/Arch.*&& FreeMemory > 64/);
    expect(made.rank?.text).toBe("CpuMHz * 2 + FreeMemory");
    expect(made.retries).toEqual({ times: 2 });
    const { workflow, problems: wrong } = buildWorkflow({ groups, transient: [] });
    expect(wrong).toEqual([]);
    expect(workflow.taskCount).toBe(20);
  });

  it("give parameters by start and increment, unfolded only where both numbers are used", () => {
    const base = "EXECUTABLE = /x\nTOTAL_TASKS = 3\nPARAM_START = 10\nPARAM_INCREMENT = 5\nARGUMENTS = ";
    const folded = task(`${base}\${PARAM} \${MAX_PARAM}`);
    expect(folded.groups[0]!.loops).toEqual([{ variable: "GW_PARAM", values: { from: 10, to: 20, step: 5 } }]);
    expect(text(folded.task!.arguments)).toBe("<GW_PARAM> 20");
    const unfolded = task(`${base}\${PARAM} \${GW_TASK_ID}`);
    expect(unfolded.groups.map(({ task: made }) => text(made.arguments))).toEqual(["10 0", "15 1", "20 2"]);
  });

  it("name files with commas, destinations and addresses", () => {
    const { task: made, problems } = task(
      "EXECUTABLE = file:///home/me/prog -x\nINPUT_FILES = a.txt, /data/b.txt b.txt, c.txt d.txt, gsiftp://host/e.txt\nOUTPUT_FILES = out, bin prog.${ARCH}\n",
    );
    expect(made!.inputs.map(text)).toEqual(["a.txt", "/data/b.txt", "d.txt", "e.txt"]);
    expect(made!.outputs.map(text)).toEqual(["out", "bin"]);
    expect(text(made!.arguments)).toBe("-x");
    expect(problems.map(({ code, at }) => [code, at?.line])).toEqual([
      ["gridway/renamed-file", 2],
      ["gridway/not-kept", 2],
      ["gridway/renamed-file", 3],
    ]);
  });

  it("fill in their own environment, and keep other variables for the run", () => {
    const { task: made, problems } = task(
      'EXECUTABLE = p\nENVIRONMENT = A="1, 2", B=x\nARGUMENTS = ${B} ${JOB_ID} ${WHAT}\nNP = 4\nPRE_WRAPPER = prepare\n',
    );
    expect(made!.environment!.map(({ name, value }) => [name, text(value)])).toEqual([
      ["A", "1, 2"],
      ["B", "x"],
    ]);
    expect(text(made!.arguments)).toBe("x ${GW_JOB_ID} ${WHAT}");
    expect(made!.resources).toEqual({ cores: 4 });
    expect(text(made!.before)).toBe("prepare");
    expect(problems.map(({ code }) => code)).toEqual(["gridway/unknown-variable"]);
  });
});

describe("problems", () => {
  it.each([
    ["", "missing-executable", 1, 1, /EXECUTABLE/],
    ["NAME = x\nEXECUTABLE =", "missing-executable", 2, 13, /program/],
    ["EXECUTABLE = x\nnonsense", "bad-line", 2, 1, /KEY = value/],
    ["EXECUTABLE = x\n  two words = 3", "bad-line", 2, 3, /KEY = value/],
    ["EXECUTABLE = x\nNP = many", "not-a-number", 2, 6, /many/],
    ["EXECUTABLE = x\nTOTAL_TASKS = 0", "not-a-number", 2, 15, /from 1/],
    ["EXECUTABLE = x\nTOTAL_TASKS = 99999999999", "too-many-tasks", 2, 15, /array/],
    ["EXECUTABLE = x\nRESCHEDULE_ON_FAILURE = perhaps", "not-yes-or-no", 2, 25, /perhaps/],
    ["EXECUTABLE = x\nREQUIREMENTS = ARCH = ", "bad-expression", 2, 22, /REQUIREMENTS/],
    ["EXECUTABLE = x\nRANK = 2 +* 3", "bad-expression", 2, 11, /RANK/],
    ["EXECUTABLE = x\nARGUMENTS = 'a", "unclosed-argument", 2, 13, /'/],
    ["EXECUTABLE = x\nINPUT_FILES = a b c", "bad-file", 2, 15, /commas/],
    ["EXECUTABLE = x\nENVIRONMENT = A=1, ?", "bad-environment", 2, 18, /NAME=value/],
  ])("%j is an error with its place", (template, code, line, column, message) => {
    const { problems } = task(template);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ severity: "error", code: `gridway/${code}`, at: { line, column } });
    expect(problems[0]!.message).toMatch(message);
  });

  it.each([
    ["EXECUTABEL = x", "EXECUTABLE"],
    ["NUMBER_OF_RETRYS = 3", "NUMBER_OF_RETRIES"],
  ])("%s is named as unknown, with the key that was meant", (line, meant) => {
    const { problems } = task(`EXECUTABLE = x\n${line}`);
    expect(problems).toMatchObject([{ severity: "warning", code: "gridway/unknown-key", at: { line: 2, column: 1 } }]);
    expect(problems[0]!.message).toContain(meant);
  });
});

it("is recognised by its content", () => {
  expect(gridway.detect(example("figure5.jt"))).toBe(true);
  expect(gridway.detect(example("pi.jt"))).toBe(true);
  expect(gridway.detect("EXECUTABLE = x\ntask -e ${EXECUTABLE} -o b")).toBe(false);
  expect(gridway.detect("JOB A b")).toBe(false);
});
