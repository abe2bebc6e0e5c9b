/** Which hosts a task may have. */
import { expect, it } from "vitest";
import { run1, Stage } from "./reactor-for-tests";

const facts = (Memory: number) => ({ facts: { Memory } });

it("hands a task to nobody who does not meet its requirement, from the first look on", () => {
  const stage = new Stage();
  stage.join("a1", 2, [], "local", facts(1000));
  stage.submit({ tasks: 2, profiles: [{ requirement: "Memory > 2000" }] });
  expect(stage.heard()).toEqual([]);
  stage.join("a2", 1, [], "local", facts(4000));
  expect(stage.heard()).toEqual(["assign a2 0.1"]);
  stage.end("a2", "0.1");
  expect(stage.heard().filter((line) => line.includes("assign"))).toEqual(["assign a2 1.1"]);
});

it("lets a task whose expression has an error on every host wait, says so, and serves the others", () => {
  const stage = new Stage();
  stage.join("a1", 2, [], "local", facts(1000));
  const broken = 'Memory / 0 > 1 && regexp("(", Name)';
  stage.submit({ tasks: 2, profiles: [{ requirement: broken }, {}], profileOf: (task) => task });
  expect(stage.states(2)).toBe("ready running");
  expect(stage.reactor.whyWaiting(run1, 0)).toMatchObject({
    is: "no-match",
    failing: [
      { clause: "Memory / 0 > 1 is error (Memory is 1000)", hosts: 1 },
      { clause: expect.stringContaining("regexp"), hosts: 1 },
    ],
  });
  stage.pass(3, ["a1"]);
  stage.end("a1", "1.1");
  expect(stage.states(2)).toBe("ready finished");
});

it("lets a task wait, by name, for software and countable things that no host has", () => {
  const stage = new Stage();
  stage.join("a1", 2, [], "local", { facts: { Software: ["R"] }, named: { matlab: 1 } });
  const kinds = [{ software: ["blast"] }, { named: { matlab: 2 } }, { software: ["R"], named: { matlab: 1 } }];
  stage.submit({ tasks: 3, profiles: kinds, profileOf: (task) => task });
  expect(stage.states(3)).toBe("ready ready running");
  expect(JSON.stringify(stage.reactor.whyWaiting(run1, 0))).toContain("blast");
  expect(stage.reactor.whyWaiting(run1, 1)).toMatchObject({ is: "too-big", named: "2 matlab" });
});
