import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  criteria,
  equalWeights,
  explainPreference,
  loadFloor,
  type NodeFacts,
  powerOf,
  preferenceOf,
  preferences,
  scaleOf,
  type Weights,
  weightsProblem,
} from "./preference";

const plain: NodeFacts = { distance: 1, capacity: 100, power: 1000, load: 0.5, memory: 1024 };

function better(a: Partial<NodeFacts>, b: Partial<NodeFacts>, weights?: Weights): boolean {
  const [first, second] = preferences([{ ...plain, ...a }, { ...plain, ...b }, plain], weights);
  return first! > second!;
}

const amount = fc.integer({ min: 0, max: 1e9 }).map((tenths) => tenths / 10);
const odd = fc.constantFrom(Number.NaN, -1, Infinity, Number.MAX_VALUE);
const node: fc.Arbitrary<NodeFacts> = fc.record(
  {
    distance: fc.constantFrom(0, 1, 2),
    capacity: amount,
    power: amount,
    load: fc.oneof(amount, odd),
    memory: fc.oneof(amount, odd),
  },
  { requiredKeys: [] },
);
const someWeights: fc.Arbitrary<Weights> = fc.record({
  distance: amount,
  capacity: amount,
  cpu: amount,
  memory: amount,
});

describe("what is preferred", () => {
  it("is near, well connected, powerful, little loaded, with much memory", () => {
    expect(better({ distance: 0 }, { distance: 1 })).toBe(true);
    expect(better({ distance: 1 }, { distance: 2 })).toBe(true);
    expect(better({ capacity: 1024 }, { capacity: 100 })).toBe(true);
    expect(better({ power: 2000 }, { power: 1000 })).toBe(true);
    expect(better({ load: 0.3 }, { load: 0.9 })).toBe(true);
    expect(better({ memory: 2048 }, { memory: 1024 })).toBe(true);
  });

  it("an idle node is finite: ten times a busy one, no more", () => {
    const [idle, nearlyIdle] = preferences([
      { ...plain, load: 0 },
      { ...plain, load: loadFloor },
    ]);
    expect(idle).toBe(nearlyIdle);
    const [strong, weakAndIdle] = preferences([
      { ...plain, power: 10_001, load: 1 },
      { ...plain, power: 1000, load: 0 },
    ]);
    expect(strong).toBeGreaterThan(weakAndIdle!);
  });

  it("no unit drowns the others: a far node with a thousand times the memory number is not the best", () => {
    const [near, far] = preferences([
      { distance: 0, capacity: 1000, power: 1000, load: 0.5, memory: 1000 },
      { distance: 2, capacity: 900, power: 900, load: 0.5, memory: 1100 },
    ]);
    expect(near).toBeGreaterThan(far!);
  });

  it("weights decide between a near node and a powerful one", () => {
    const near = { distance: 0, power: 500 };
    const powerful = { distance: 2, power: 1000 };
    expect(better(near, powerful, { distance: 3, capacity: 0, cpu: 1, memory: 0 })).toBe(true);
    expect(better(near, powerful, { distance: 1, capacity: 0, cpu: 3, memory: 0 })).toBe(false);
  });

  it("a node that does not tell something stands in the middle of those that do", () => {
    const [much, silent, little] = preferences([
      { ...plain, memory: 4096 },
      { ...plain, memory: Number.NaN },
      { ...plain, memory: 1024 },
    ]);
    expect(much).toBeGreaterThan(silent!);
    expect(silent).toBeGreaterThan(little!);
  });

  it("a cluster's power is that of all its machines", () => {
    expect(
      powerOf([
        { cpus: 4, power: 100 },
        { cpus: 2, power: 50 },
      ]),
    ).toBe(500);
  });
});

describe("laws", () => {
  it("a preference lies between 0 and 1, is explained by its terms, and is the same for one node and for all", () => {
    fc.assert(
      fc.property(fc.array(node, { minLength: 1 }), someWeights, (nodes, weights) => {
        const all = preferences(nodes, weights);
        const scale = scaleOf(nodes);
        nodes.forEach((one, i) => {
          expect(all[i]).toBeGreaterThanOrEqual(0);
          expect(all[i]).toBeLessThanOrEqual(1 + 1e-12);
          expect(preferenceOf(one, scale, weights)).toBe(all[i]);
          const terms = explainPreference(one, scale, weights);
          expect(terms.map(({ criterion }) => criterion)).toEqual(criteria);
          expect(terms.reduce((sum, { points }) => sum + points, 0)).toBe(all[i]);
        });
      }),
    );
  });

  it("the unit in which a criterion is measured does not matter", () => {
    fc.assert(
      fc.property(fc.array(node, { minLength: 1 }), fc.constantFrom(1 / 1024, 8, 1e6), (nodes, factor) => {
        const times = (value: number | undefined) => (value === undefined ? undefined : value * factor);
        const converted = nodes.map((one) => ({
          ...one,
          capacity: times(one.capacity),
          power: times(one.power),
          memory: times(one.memory),
        }));
        const before = preferences(nodes);
        preferences(converted).forEach((value, i) => {
          expect(value).toBeCloseTo(before[i]!, 9);
        });
      }),
    );
  });

  it("a node that is at least as good in everything is preferred at least as much", () => {
    fc.assert(
      fc.property(node, amount, (one, more) => {
        const upgraded = { ...one, memory: (one.memory ?? 0) + more, load: 0, distance: 0 };
        const worse = { ...one, memory: one.memory ?? 0, load: one.load ?? 1, distance: one.distance ?? 2 };
        const [good, bad] = preferences([upgraded, worse]);
        expect(good).toBeGreaterThanOrEqual(bad!);
      }),
    );
  });
});

describe("weights people give", () => {
  it("are refused with a sentence when they cannot be used", () => {
    expect(weightsProblem(equalWeights)).toBeUndefined();
    expect(weightsProblem({ ...equalWeights, cpu: -1 })).toBe("The weight of cpu must be 0 or a positive number.");
    expect(weightsProblem({ ...equalWeights, memory: Number.NaN })).toContain("memory");
    expect(weightsProblem({ distance: 0, capacity: 0, cpu: 0, memory: 0 })).toBe(
      "At least one weight must be above 0.",
    );
  });
});
