import { expect, test } from "vitest";
import { SeededRandom } from "@/core/simulation/random";
import { runUnderFire } from "./under-fire-for-tests";

// Each seed kills other parts at other moments; a failing one can be run again by itself.
for (const seed of [1, 2, 3, 4, 5]) {
  test(`forty kills from seed ${seed}: each task starts once and is recorded once`, async () => {
    const random = new SeededRandom(seed);
    const parts = ["agent", "engine", "gateway", "web"];
    const tasks = 600;
    const kills = Array.from({ length: 40 }, () => ({
      part: parts[Math.floor(random.next() * parts.length)] ?? "agent",
      afterMs: Math.floor(random.next() * 2500),
    }));
    const survived = await runUnderFire({ tasks, kills, patienceMs: 300_000 });
    expect(survived.kills).toBeGreaterThan(20);
    expect(survived.state).toBe("succeeded");
    expect(survived.starts).toEqual(new Array(tasks).fill(1));
    expect(survived.succeeded).toEqual({ outcomes: tasks, tasks });
  });
}
