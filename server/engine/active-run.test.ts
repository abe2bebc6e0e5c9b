/** A run as an engine that starts finds it: what tasks handed in before is part of it again, as it was. */
import { expect, test } from "vitest";
import { parseGridAdl } from "@/core/languages/gridadl";
import { buildWorkflow } from "@/core/workflow/build";
import { extendWorkflow } from "@/core/workflow/extend";
import type { StoredRun } from "@/server/journal/recovery";
import { depthOf, planOf, unfoldRun } from "./active-run";
import { defaultRunSettings } from "./run-settings";

const read = (text: string) => parseGridAdl(text).application;
const application = read("task a -e x -o a.out -s more\ntask b -e x -i a.out -o b.out");
const first = read(
  "foreach i in 1..2 {\n task c${i} -e x -i b.out -o c${i}.out -s d${i}\n task e${i} -e x -w c${i}=3\n}",
);
const second = read("task f -e x -i c1.out c2.out");

const stored = (additions: StoredRun["additions"], tasks: number): StoredRun => ({
  ...{ id: "r", ownerId: "o", ownerAdmin: false, name: "run", application, seq: 1, state: "running" },
  settings: { ...defaultRunSettings, clustering: { algorithm: "blocks", granularity: 2 } },
  ...{ states: new Uint8Array(tasks), attempts: [], open: [], additions },
});

test("additions come back in their order, with their depth, and clusters of tasks stay those of the start", () => {
  const additions = [
    { task: 0, first: 2, application: first },
    { task: 2, first: 6, application: second },
  ];
  const run = unfoldRun(stored(additions, 7));
  const names = Array.from({ length: 7 }, (_, task) => run.workflow.name(task));
  expect(names).toEqual(["a", "b", "c1", "e1", "c2", "e2", "f"]);
  expect([0, 2, 5, 6].map((task) => depthOf(run, task))).toEqual([0, 1, 1, 2]);
  expect(run.plan.unitOf).toHaveLength(2);
  expect([0, 1, 2, 3].map((task) => run.plan.spawns?.(task))).toEqual([true, false, true, false]);
  expect(run.plan.conditionsOf?.(5)).toEqual([{ before: 4, exits: [[3, 3]] }]);
});

test("what an engine finds after a restart is what the one before had", () => {
  const begun = unfoldRun(stored([], 2));
  const extended = extendWorkflow(begun.application, buildWorkflow(application).workflow, first);
  if (extended.is !== "extended") throw new Error(extended.problem);
  const before = planOf(begun, extended.application, extended.workflow);
  const after = unfoldRun(stored([{ task: 0, first: 2, application: first }], 6)).plan;
  expect(after.taskCount).toBe(before.taskCount);
  expect(after.predecessors).toEqual(before.predecessors);
  expect(after.profiles).toEqual(before.profiles);
  expect(after.unitOf).toEqual(before.unitOf);
});

test("a run whose additions are gone is not taken up with fewer tasks", () => {
  expect(() => unfoldRun(stored([], 6))).toThrow("its workflow has 2 tasks, but it was stored with 6");
});
