/** Which hosts a task may have. */
import { expect, it } from "vitest";
import { Stage } from "./reactor-for-tests";

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
