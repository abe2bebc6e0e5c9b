import { expect, it } from "vitest";
import { runSeed } from "./torture";

it("finds nothing in ten thousand seeds", () => {
  for (let seed = 1; seed <= 10_000; seed += 1) {
    const { ok, violation } = runSeed(seed);
    expect(ok, `seed ${seed}: ${violation}`).toBe(true);
  }
});
