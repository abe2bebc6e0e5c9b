import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildOverlay, type GridSupply } from "./overlay";

const bag = (ready: number, concurrency = 1) => ({ id: `bag of ${ready}`, ready, concurrency });
const grid = (room: number, more: Partial<GridSupply> = {}) => ({ id: `grid of ${room}`, waiting: 0, room, ...more });
/** "x." lets a bag use the first of two grids. */
const matrix = (...rows: string[]) => rows.map((row) => [...row].map((mark) => mark === "x"));

describe("how many clients for each grid", () => {
  it("as many as there is work for, by what one client takes at a time", () => {
    expect(buildOverlay([bag(12, 5)], [grid(100)], matrix("x"))).toEqual({ clients: [3], useful: [3], served: [3] });
    expect(buildOverlay([bag(0)], [grid(100)], matrix("x")).clients).toEqual([0]);
    expect(buildOverlay([], [grid(100)], []).clients).toEqual([0]);
  });

  it("never more than a grid has room for, nor than all together may be", () => {
    const bags = [bag(1000), bag(1000)];
    expect(buildOverlay(bags, [grid(7), grid(30)], matrix("xx", "xx")).clients).toEqual([7, 30]);
    expect(buildOverlay(bags, [grid(7), grid(30)], matrix("xx", "xx"), 10).clients).toEqual([7, 3]);
  });

  it("none on a grid that no bag with work may use", () => {
    expect(buildOverlay([bag(5), bag(0)], [grid(9), grid(9)], matrix("x.", ".x")).clients).toEqual([5, 0]);
  });

  it("clients that wait for work are used before new ones are asked for, also by changing places", () => {
    // The first bag would take the waiting client; the second may use nothing else.
    const grids = [grid(0, { waiting: 1 }), grid(10)];
    expect(buildOverlay([bag(1), bag(1)], grids, matrix("xx", "x."))).toMatchObject({
      clients: [0, 1],
      served: [1, 1],
    });
    expect(buildOverlay([bag(4)], [grid(10), grid(10, { waiting: 3 })], matrix("xx")).clients).toEqual([1, 0]);
  });

  it("a bag with few grids is not left without because others came first", () => {
    const plan = buildOverlay([bag(10), bag(10)], [grid(10), grid(10)], matrix("xx", "x."));
    expect(plan).toMatchObject({ clients: [10, 10], served: [10, 10] });
  });

  it("too little is shared evenly, and what one bag does not want the others get", () => {
    const plan = buildOverlay([bag(2), bag(1000), bag(1_000_000)], [grid(20)], matrix("x", "x", "x"));
    expect(plan.served).toEqual([2, 9, 9]);
  });

  it("the grid with more appeal comes first, the earlier of two equal ones", () => {
    const grids = [grid(5, { appeal: 0.1 }), grid(5, { appeal: 0.9 }), grid(5, { appeal: 0.9 })];
    expect(buildOverlay([bag(7)], grids, matrix("xxx")).clients).toEqual([0, 5, 2]);
  });

  it("tells how many would be of use at most on each grid", () => {
    const grids = [grid(5), grid(50, { waiting: 2 }), grid(50)];
    expect(buildOverlay([bag(10), bag(3)], grids, matrix("xx.", ".x.")).useful).toEqual([5, 11, 0]);
  });

  it("millions of tasks and hundreds of bags are no more work than a few", () => {
    const bags = Array.from({ length: 200 }, (_, i) => bag(1000 + 12_345 * i));
    const grids = Array.from({ length: 40 }, (_, i) => grid(5000 + i));
    const may = bags.map((_, b) => grids.map((__, g) => (b * 7 + g * 3) % 5 < 2));
    const { clients, served } = buildOverlay(bags, grids, may);
    expect(clients).toEqual(grids.map(({ room }) => room));
    expect(served.reduce((sum, count) => sum + count)).toBe(clients.reduce((sum, count) => sum + count));
  });
});

describe("laws", () => {
  const small = fc.integer({ min: 0, max: 9 });
  const world = fc
    .record({
      demand: fc.array(small, { minLength: 1, maxLength: 5 }),
      grids: fc.array(fc.record({ waiting: fc.integer({ min: 0, max: 4 }), room: small }), {
        minLength: 1,
        maxLength: 4,
      }),
      limit: fc.integer({ min: 0, max: 20 }),
    })
    .chain(({ demand, grids, limit }) =>
      fc.record({
        demand: fc.constant(demand),
        grids: fc.constant(grids),
        limit: fc.constant(limit),
        may: fc.array(fc.array(fc.boolean(), { minLength: grids.length, maxLength: grids.length }), {
          minLength: demand.length,
          maxLength: demand.length,
        }),
      }),
    );
  type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

  const subsets = (of: number) => Array.from({ length: 2 ** of }, (_, set) => set);
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

  /** Hall's condition: every set of bags fits into the grids its members may use. */
  function fits({ grids, limit, may }: World, served: readonly number[], newAllowed = true): boolean {
    return subsets(served.length).every((set) => {
      const members = served.map((_, b) => b).filter((b) => set & (1 << b));
      const usable = grids.filter((_, g) => members.some((b) => may[b]![g]));
      const fresh = newAllowed ? Math.min(limit, sum(usable.map(({ room }) => room))) : 0;
      return sum(members.map((b) => served[b]!)) <= sum(usable.map(({ waiting }) => waiting)) + fresh;
    });
  }

  const build = ({ demand, grids, limit, may }: World) =>
    buildOverlay(
      demand.map((ready) => bag(ready)),
      grids.map((one) => grid(one.room, one)),
      may,
      limit,
    );

  it("limits hold, no client is asked for in vain, and no bag gets more than it wants", () => {
    fc.assert(
      fc.property(world, (drawn) => {
        const { clients, served, useful } = build(drawn);
        clients.forEach((count, g) => {
          expect(count).toBeLessThanOrEqual(drawn.grids[g]!.room);
          expect(count).toBeLessThanOrEqual(useful[g]!);
        });
        expect(sum(clients)).toBeLessThanOrEqual(drawn.limit);
        served.forEach((count, b) => {
          expect(count).toBeLessThanOrEqual(drawn.demand[b]!);
        });
        expect(fits(drawn, served)).toBe(true);
        // With exactly the clients asked for, all that is promised can be held.
        const exact = { ...drawn, grids: drawn.grids.map(({ waiting }, g) => ({ waiting, room: clients[g]! })) };
        expect(fits(exact, served)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("no bag could get more, and none could get more by taking from one that has more", () => {
    fc.assert(
      fc.property(world, (drawn) => {
        const { served } = build(drawn);
        served.forEach((low, b) => {
          if (low >= drawn.demand[b]!) return;
          expect(fits(drawn, served.with(b, low + 1))).toBe(false);
          served.forEach((high, other) => {
            if (high > low + 1) expect(fits(drawn, served.with(b, low + 1).with(other, high - 1))).toBe(false);
          });
        });
      }),
      { numRuns: 500 },
    );
  });

  it("no fewer new clients would do", () => {
    fc.assert(
      fc.property(world, (drawn) => {
        const { clients, served } = build(drawn);
        const asked = sum(clients);
        if (asked > 0) expect(fits({ ...drawn, limit: asked - 1 }, served)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
