/**
 * Reuse with a real PostgreSQL and real processes: a second run of an unchanged workflow runs nothing, a changed input
 * runs what depends on it and tells why, and nobody takes what is another's.
 */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventsOfRun } from "@/server/journal/queries/events-of-run";
import { getRun } from "@/server/journal/queries/get-run";
import { outputsOfRun } from "@/server/journal/queries/outputs-of-run";
import { storeRun, taskGroup } from "@/server/journal/run-for-tests";
import { EngineStage } from "./stage-for-tests";

const stage = new EngineStage();
beforeAll(() => stage.open());
afterAll(() => stage.close());
beforeEach(() => stage.startParts());
afterEach(() => stage.stopParts());

const application = {
  groups: [
    taskGroup({ name: "A", inputs: ["left"], outputs: ["a"] }),
    taskGroup({ name: "B", inputs: ["right"], outputs: ["b"] }),
    taskGroup({ name: "C", inputs: ["a", "b"], outputs: ["c"] }),
  ],
  transient: [],
};

async function run(owner: string, right: string, reuse = true) {
  const { run: id } = await storeRun(stage.pool, {
    owner,
    application,
    settings: { reuse },
    inputs: [
      { name: "left", sha256: "1".repeat(64), size: 1 },
      { name: "right", sha256: right.repeat(64), size: 1 },
    ],
  });
  await expect.poll(async () => (await getRun(stage.pool, id))?.state, { timeout: 20_000 }).toBe("succeeded");
  const { rows } = await stage.pool.query<{ task: number }>(
    "SELECT task FROM engine.attempt WHERE run = $1 ORDER BY 1",
    [id],
  );
  return { id, ran: rows.map(({ task }) => task) };
}

describe("reuse", () => {
  test("takes what is unchanged, runs what is not, and says why", async () => {
    await stage.startAgent();
    const owner = randomUUID();
    expect((await run(owner, "2")).ran).toEqual([0, 1, 2]);

    const again = await run(owner, "2");
    expect(again.ran).toEqual([]);
    expect((await outputsOfRun(stage.pool, again.id)).map(({ name }) => name).sort()).toEqual(["a", "b", "c"]);

    const changed = await run(owner, "3");
    // What B makes has another name or content only if it says so; the fake agent's outputs depend on their names alone.
    expect(changed.ran).toEqual([1]);
    const events = await eventsOfRun(stage.pool, changed.id, { limit: 50 });
    expect(events.find(({ code }) => code === "task-not-reused")).toMatchObject({
      task: 1,
      args: { changed: "its input file right changed" },
    });
    expect(
      events
        .filter(({ code }) => code === "task-reused")
        .map(({ task }) => task)
        .sort(),
    ).toEqual([0, 2]);
  });

  test("is not asked for when it is off, and gives nobody what another person made", async () => {
    await stage.startAgent();
    const owner = randomUUID();
    await run(owner, "4");
    expect((await run(owner, "4", false)).ran).toEqual([0, 1, 2]);
    expect((await run(randomUUID(), "4")).ran).toEqual([0, 1, 2]);
  });
});
