import { describe, expect, it } from "vitest";
import { agentUuid, failed, Stage } from "./reactor-for-tests";

describe("clusters of tasks", () => {
  it("take the room of one, unless a task asks for more than the first", () => {
    const stage = new Stage();
    stage.submit({
      tasks: 4,
      unitOf: Int32Array.of(0, 0, 0, -1),
      profiles: [{}, { cores: 2 }],
      profileOf: (task) => (task === 2 ? 1 : 0),
    });
    stage.join("a1", 3);
    // Tasks 0 and 1 share a core, task 2 has two of its own: none is left for task 3.
    expect(stage.heard()).toEqual(["assign a1 0.1", "assign a1 1.1", "assign a1 2.1"]);
    stage.end("a1", "2.1");
    expect(stage.heard()).toContain("assign a1 3.1");
  });
});

describe("the fail-over cluster", () => {
  const rescue = { cluster: "rescue", enabled: true, access: "everyone", failOver: true } as const;
  const big = { tasks: 1, retries: 5, profiles: [{ cores: 4 }] };

  it("takes what failed elsewhere again and again", () => {
    const stage = new Stage({ failOverAfter: 1 });
    stage.reactor.onClusterPolicy(rescue);
    stage.submit(big);
    stage.join("a1", 4);
    stage.join("a2", 4, [], "rescue");
    stage.end("a1", "0.1", failed);
    expect(new Set(stage.heard())).toEqual(new Set(["assign a1 0.1", "acknowledge a1 0.1", "assign a2 0.2"]));
  });

  it("is no refuge for what none of its hosts could take: that is tried again elsewhere", () => {
    const stage = new Stage({ failOverAfter: 1 });
    stage.reactor.onClusterPolicy(rescue);
    stage.submit(big);
    stage.join("a1", 4);
    stage.join("a2", 1, [], "rescue");
    stage.end("a1", "0.1", failed);
    stage.pass(1, ["a1", "a2"]);
    expect(stage.heard()).toContain("assign a1 0.2");
  });

  it("lets go of what it cannot take when its last host leaves", () => {
    const stage = new Stage({ failOverAfter: 1 });
    stage.reactor.onClusterPolicy(rescue);
    stage.submit({ tasks: 2, retries: 5 });
    stage.join("a1", 2);
    stage.join("a2", 1, [], "rescue");
    stage.end("a1", "0.1", failed);
    stage.end("a1", "1.1", failed);
    expect(stage.heard()).toContain("assign a2 0.2");
    stage.reactor.onAgentLeft(agentUuid("a2"));
    expect(stage.heard().filter((line) => line.startsWith("assign a1"))).toHaveLength(2);
  });
});
