import { describe, expect, it } from "vitest";
import { run1, run2, Stage } from "./reactor-for-tests";

const open = { enabled: true, access: "everyone" } as const;

describe("demand", () => {
  it("is what is ready and found no slot, by what it asks for", () => {
    const stage = new Stage();
    stage.submit({
      tasks: 10,
      ownerId: "ada",
      profiles: [{}, { cores: 4, memoryBytes: 100, wallSeconds: 60, named: { Gpus: 1 } }],
      profileOf: (task) => (task < 7 ? 0 : 1),
    });
    stage.join("a1", 2);
    expect(stage.reactor.demand()).toEqual([
      {
        run: run1,
        owner: "ada",
        ownerAdmin: false,
        ready: 5,
        asks: { cores: 1, memoryBytes: 0, diskBytes: 0, named: {} },
        clusters: ["local"],
      },
      {
        run: run1,
        owner: "ada",
        ownerAdmin: false,
        ready: 3,
        asks: { cores: 4, memoryBytes: 100, diskBytes: 0, named: { Gpus: 1 } },
        wallSeconds: 60,
        clusters: ["local"],
      },
    ]);
  });

  it("is nothing for tasks whose predecessors are not finished, and none of a run that is killed", () => {
    const stage = new Stage();
    stage.submit({ tasks: 2, edges: [[0, 1]] });
    expect(stage.reactor.demand().map(({ ready }) => ready)).toEqual([1]);
    stage.command("kill");
    expect(stage.reactor.demand()).toEqual([]);
  });

  it("is no more than a category allows at a time", () => {
    const stage = new Stage();
    stage.submit({ tasks: 9, profiles: [{ category: "few" }], categoryLimits: { few: 3 } });
    expect(stage.reactor.demand().map(({ ready }) => ready)).toEqual([3]);
    stage.join("a1", 1);
    expect(stage.reactor.demand().map(({ ready }) => ready)).toEqual([2]);
  });

  it("names the clusters the owner may use and GridPolicy does not rule out", () => {
    const stage = new Stage();
    stage.reactor.onClusterPolicy({ cluster: "tech", ...open });
    stage.reactor.onClusterPolicy({ cluster: "closed", enabled: false, access: "everyone" });
    stage.reactor.onClusterPolicy({ cluster: "staff", enabled: true, access: "admins" });
    stage.reactor.onClusterPolicy({ cluster: "rescue", ...open, failOver: true });
    stage.submit({ tasks: 5 });
    stage.submit({
      id: run2,
      tasks: 5,
      ownerId: "root",
      ownerAdmin: true,
      policies: { gridPolicy: 'Grid != "local"' },
    });
    const [ofAll, ofAdmin] = stage.reactor.demand();
    expect(ofAll?.clusters).toEqual(["local", "tech"]);
    expect(ofAdmin?.clusters).toEqual(["tech", "staff"]);
  });

  it("asks what a cluster's hosts are like where that is known, and hopes where it is not", () => {
    const stage = new Stage();
    const kinds = [
      { OpSys: "LINUX", Memory: 1000 },
      { OpSys: "LINUX", Memory: 9000 },
    ];
    stage.reactor.onClusterPolicy({ cluster: "big", ...open, kinds });
    stage.reactor.onClusterPolicy({ cluster: "small", ...open, kinds: kinds.slice(0, 1) });
    stage.submit({ tasks: 5, policies: { jobRequirements: 'OpSys == "LINUX" && Memory > 4000' } });
    expect(stage.reactor.demand()[0]?.clusters).toEqual(["local", "big"]);
    // What came of hope: hosts of the wrong kind.
    stage.join("a1", 1, [], "local", { facts: { OpSys: "LINUX", Memory: 10 } });
    expect(stage.reactor.demand()[0]?.clusters).toEqual(["big"]);
  });

  it("knows no cluster for an expression that cannot be read", () => {
    const stage = new Stage();
    stage.submit({ tasks: 1, policies: { jobRequirements: "Memory >" } });
    expect(stage.reactor.demand()[0]?.clusters).toEqual([]);
  });

  it("costs the bags, not the tasks", () => {
    const cost = (tasks: number): number => {
      const stage = new Stage();
      stage.submit({ tasks });
      expect(stage.reactor.demand()).toHaveLength(1);
      const rounds = Array.from({ length: 5 }, () => {
        const started = performance.now();
        for (let i = 0; i < 200; i += 1) stage.reactor.demand();
        return performance.now() - started;
      });
      return Math.min(...rounds);
    };
    // A walk over the tasks would make it five hundred times as much.
    expect(cost(500_000)).toBeLessThan(50 * cost(1000));
  }, 60_000);
});
