import { describe, expect, it } from "vitest";
import type { Policies } from "@/core/engine/policy";
import { emptyOptions, optionsProblem, readOptions } from "./options-draft";
import { draftOf, emptyPolicies, readDraft, sameDraft } from "./policy-draft";

const all: Policies = {
  jobRequirements: "Memory > 1024",
  rank: "Cpus",
  replicationRequirements: "NumberOfReplicas < 2",
  concurrency: "2 * NumCpus",
  deadline: "3600",
  gridPolicy: 'Grid == "local"',
  tailBelow: 0,
  latchTail: true,
  maxReplicas: 2,
  weights: { distance: 1, capacity: 0, cpu: 2.5, memory: 1 },
};

describe("policies in a form", () => {
  it("come back as they went in", () => {
    expect(readDraft(draftOf(all))).toEqual({ policies: all, problems: {} });
    expect(readDraft(emptyPolicies)).toEqual({ policies: {}, problems: {} });
  });

  it("tell what cannot be read, and where", () => {
    const { problems } = readDraft({ ...emptyPolicies, jobRequirements: "Memory > ) 2", rank: "1 +\n* 2" });
    expect(problems.jobRequirements).toMatch(/^Column 10: /);
    expect(problems.rank).toMatch(/^Line 2, column 1: /);
  });

  it.each([
    ["maxReplicas", "0", "A whole number from 1 to 100 is needed."],
    ["maxReplicas", "two", "A whole number from 1 to 100 is needed."],
    ["tailBelow", "1.5", "A whole number from 0 to 1,000,000,000 is needed."],
    ["weightCpu", "-1", "A number from 0 to 1,000,000 is needed."],
  ] as const)("refuse %s %s", (field, text, sentence) => {
    expect(readDraft({ ...emptyPolicies, [field]: text }).problems).toEqual({ [field]: sentence });
  });

  it("take a weight that is left empty beside others for 1", () => {
    expect(readDraft({ ...emptyPolicies, weightCpu: "3" }).policies.weights).toEqual({
      distance: 1,
      capacity: 1,
      cpu: 3,
      memory: 1,
    });
  });

  it("are changed when a text is, and not when it is typed back", () => {
    const saved = draftOf(all);
    expect(sameDraft({ ...saved, rank: "Memory" }, saved)).toBe(false);
    expect(sameDraft({ ...saved, rank: "Cpus" }, saved)).toBe(true);
  });
});

describe("the options of a run", () => {
  it("say nothing where nothing was typed", () => {
    expect(readOptions(emptyOptions)).toMatchObject({ given: {}, set: 0 });
  });

  it("give what was typed, a granularity only with a clustering", () => {
    const typed = { ...emptyOptions, priority: "5", retries: "3", granularity: "10", policies: draftOf({ rank: "1" }) };
    expect(readOptions(typed)).toMatchObject({ given: { priority: 5, retries: 3, policies: { rank: "1" } }, set: 3 });
    expect(readOptions({ ...typed, algorithm: "blocks" }).given.clustering).toEqual({
      algorithm: "blocks",
      granularity: 10,
    });
  });

  it("keep a run from starting while one of them cannot be read", () => {
    expect(optionsProblem(readOptions(emptyOptions))).toBeUndefined();
    const wrong = { ...emptyOptions, priority: "21", policies: draftOf({ rank: "(" }) };
    expect(optionsProblem(readOptions(wrong))).toBe("2 of the options cannot be read.");
  });
});
