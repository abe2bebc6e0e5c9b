import { describe, expect, it } from "vitest";
import { agentUuid, failed, held, run1, Stage } from "./reactor-for-tests";

describe("an agent", () => {
  it("that falls silent is given up, and its tasks go elsewhere without blame", () => {
    const stage = new Stage();
    stage.join("a1", 2);
    stage.submit({ tasks: 2, retries: 0 });
    stage.pass(20);
    stage.join("a2", 2);
    stage.heard();
    stage.pass(10, ["a2"]);
    expect(stage.heard()).toEqual([]);
    stage.pass(1, ["a2"]);
    expect(stage.heard()).toEqual(["refuse a1", "assign a2 0.2", "assign a2 1.2"]);
    expect(stage.ports.events()).toContain("agent-lost");
  });

  it("that returns after it was given up is refused, whatever it says", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.submit({ tasks: 1 });
    stage.pass(31);
    stage.heard();
    stage.end("a1", "0.1");
    stage.reactor.onAttemptStarted(agentUuid("a1"), held(["0.1"], 7)[0]!.attempt, 7, 1);
    stage.join("a1", 1);
    stage.inventory("a1", ["0.1"]);
    stage.reactor.onAgentsAlive([agentUuid("a1")]);
    expect(stage.heard()).toEqual(Array.from({ length: 5 }, () => "refuse a1"));
    expect(stage.states(1)).toBe("ready");
  });

  it("stays as long as it is heard of", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.submit({ tasks: 1 });
    stage.pass(300, ["a1"]);
    expect(stage.states(1)).toBe("running");
  });

  it("is not judged silent for a time in which the engine itself slept", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.submit({ tasks: 1 });
    stage.pass(1, ["a1"]);
    stage.ports.time += 3_600_000;
    stage.pass(29);
    expect(stage.states(1)).toBe("running");
    stage.ports.time -= 7_200_000;
    stage.pass(30);
    expect(stage.states(1)).toBe("running");
    stage.pass(2);
    expect(stage.states(1)).toBe("ready");
  });

  it("that says goodbye gives back what it had, and may come again", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.submit({ tasks: 1 });
    stage.reactor.onAgentLeft(agentUuid("a1"));
    expect(stage.states(1)).toBe("ready");
    stage.heard();
    stage.join("a1", 1, held(["0.1"], 7));
    expect(stage.heard()).toEqual(["discard a1 0.1", "assign a1 0.2"]);
  });

  it("that the engine does not know is asked to join", () => {
    const stage = new Stage();
    stage.reactor.onAgentsAlive([agentUuid("a1")]);
    stage.inventory("a1", []);
    expect(stage.heard()).toEqual(["who-is a1", "who-is a1"]);
  });

  it("that joins again with fewer slots gets nothing until it has room", () => {
    const stage = new Stage();
    stage.join("a1", 2);
    stage.submit({ tasks: 4 });
    stage.join("a1", 1, held(["0.1", "1.1"], 7));
    stage.heard();
    stage.end("a1", "0.1");
    expect(stage.heard()).toEqual(["acknowledge a1 0.1"]);
    stage.end("a1", "1.1");
    expect(stage.heard()).toEqual(["acknowledge a1 1.1", "assign a1 2.1"]);
  });

  it("that joins again with more slots gets more", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.submit({ tasks: 4 });
    stage.heard();
    stage.join("a1", 3, held(["0.1"], 7));
    expect(stage.heard()).toEqual(["assign a1 1.1", "assign a1 2.1"]);
  });

  it("that moves to another cluster is counted there only", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.join("a1", 1, [], "elsewhere");
    stage.submit({ tasks: 2 });
    expect(stage.heard()).toEqual([]);
    stage.reactor.onClusterPolicy({ cluster: "elsewhere", enabled: true, access: "everyone" });
    expect(stage.heard()).toEqual(["assign a1 0.1"]);
  });
});

describe("an inventory", () => {
  it("that lacks an attempt brings the assignment again", () => {
    const stage = new Stage();
    stage.join("a1", 2);
    stage.submit({ tasks: 2 });
    stage.heard();
    stage.inventory("a1", ["1.1"]);
    expect(stage.heard()).toEqual(["assign a1 0.1"]);
    expect(stage.ports.records.filter(({ is }) => is === "attempt")).toHaveLength(2);
  });

  it("with attempts nobody waits for has them discarded, recorded successes acknowledged", () => {
    const stage = new Stage();
    stage.join("a1", 2);
    stage.submit({ tasks: 2 });
    stage.end("a1", "0.1");
    stage.heard();
    stage.inventory("a1", ["0.1", "1.1", "1.9"]);
    expect(stage.heard()).toEqual(["acknowledge a1 0.1", "discard a1 1.9"]);
  });
});

describe("an agent whose tasks are short", () => {
  it("gets some ahead of its slots, and no more once they are long", () => {
    const stage = new Stage({ briskMs: 100, aheadPerSlot: 2 });
    stage.join("a1", 1);
    stage.submit({ tasks: 20 });
    expect(stage.heard()).toEqual(["assign a1 0.1"]);
    stage.endAfter("a1", "0.1", 5);
    expect(stage.heard()).toEqual(["acknowledge a1 0.1", "assign a1 1.1", "assign a1 2.1", "assign a1 3.1"]);
    stage.endAfter("a1", "1.1", 10_000);
    expect(stage.heard()).toEqual(["acknowledge a1 1.1"]);
    stage.endAfter("a1", "2.1", 10_000);
    stage.endAfter("a1", "3.1", 10_000);
    expect(stage.heard()).toEqual(["acknowledge a1 2.1", "acknowledge a1 3.1", "assign a1 4.1"]);
  });

  it("gets as many as it does in a tenth of a second, and only of tasks known to be short", () => {
    const stage = new Stage({ briskMs: 100, aheadPerSlot: 24 });
    stage.join("a1", 1);
    stage.submit({ tasks: 60, profiles: [{}, { priority: 1 }], profileOf: (task) => (task < 50 ? 1 : 0) });
    stage.heard();
    stage.endAfter("a1", "0.1", 10);
    // The one it runs, and ten more.
    expect(stage.heard().filter((line) => line.startsWith("assign"))).toHaveLength(11);
    for (let task = 1; task < 50; task += 1) stage.endAfter("a1", `${task}.1`, 10);
    // Of the other kind nothing is known yet.
    expect(stage.heard().filter((line) => / 5\d\.1/.test(line))).toEqual(["assign a1 50.1"]);
  });

  it("gets nothing ahead for failing quickly", () => {
    const stage = new Stage({ briskMs: 100, aheadPerSlot: 24 });
    stage.join("a1", 1);
    stage.submit({ tasks: 20, retries: 0 });
    stage.heard();
    stage.reactor.onAttemptEnded(agentUuid("a1"), `${run1}.0.1`, 7, failed, { startedAt: 0, endedAt: 1 });
    expect(stage.heard().filter((line) => line.startsWith("assign"))).toHaveLength(1);
  });

  it("gives back what waits behind a task that turns out to be long", () => {
    const stage = new Stage({ briskMs: 100, aheadPerSlot: 3, takeBackMs: 10_000 });
    stage.join("a1", 1);
    stage.submit({ tasks: 10 });
    stage.endAfter("a1", "0.1", 5);
    stage.reactor.onAttemptStarted(agentUuid("a1"), `${run1}.1.1`, 7, stage.ports.time);
    stage.heard();
    stage.pass(9, ["a1"]);
    stage.join("a2", 1);
    expect(stage.heard()).toEqual(["assign a2 5.1"]);
    stage.pass(3, ["a1", "a2"]);
    expect(stage.heard()).toEqual(expect.arrayContaining(["discard a1 2.1", "discard a1 3.1", "discard a1 4.1"]));
    stage.end("a2", "5.1");
    // One of those that were taken back.
    expect(stage.heard().some((line) => /^assign a2 [234]\.2$/.test(line))).toBe(true);
  });
});
