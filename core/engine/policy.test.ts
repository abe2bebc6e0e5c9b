import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hostAd } from "./host-ad";
import { expressionPolicies, type Policies, policyNames, policyProblems, policySentence, readPolicy } from "./policy";
import { makeQueueAd, Scene } from "./scene";

describe("policies that cannot be read", () => {
  it("are told by name, place and problem", () => {
    const problems = policyProblems({ jobRequirements: "true", rank: "1 +\n* 2", deadline: ")" });
    expect(problems.map(({ policy, at }) => [policy, at?.line, at?.column])).toEqual([
      ["rank", 2, 1],
      ["deadline", 1, 1],
    ]);
    expect(policySentence(problems[0]!)).toMatch(/^Rank, line 2, column 1: ./);
  });
});

describe("docs/policies.md", () => {
  const page = readFileSync("docs/policies.md", "utf8");
  const words = new Set([...page.matchAll(/`([A-Za-z0-9]+)`/g)].map((match) => match[1]));

  it("tells every policy, and its examples can be read", () => {
    for (const name of Object.keys(policyNames)) expect(words).toContain(name);
    const example: Policies = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)![1]!);
    expect(Object.keys(example).sort()).toEqual(Object.keys(policyNames).sort());
    expect(policyProblems(example)).toEqual([]);
    const rows = [...page.matchAll(/^\| `(\w+)` \|.*\| `([^`]*)` \|$/gm)];
    for (const [, name, text] of rows) {
      if (expressionPolicies.some((policy) => policy === name)) expect(readPolicy(text!).problem).toBeUndefined();
    }
    expect(rows.length).toBe(Object.keys(policyNames).length);
  });

  it("tells every attribute that is there", () => {
    const host = hostAd({ id: "a", cluster: "c", host: "h", slots: 1, memoryBytes: 1 });
    for (const name of host.ad.shape.names) expect(words).toContain(name);
    for (const name of makeQueueAd().ad.shape.names) expect(words).toContain(name);
    const never = { now: () => 0 };
    const scene = new Scene("o", {}, {}, makeQueueAd(), never, { next: () => 0 });
    for (const { name, ad } of scene.contextOf(host.ad).scopes) {
      expect(page).toContain(`### ${name}\n`);
      for (const attribute of ad.shape.names) expect(words).toContain(attribute);
    }
  });
});
