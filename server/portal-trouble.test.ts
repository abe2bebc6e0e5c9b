import { expect, test } from "vitest";
import { portalStatus, TroubleBoard, troubleIn } from "./portal-trouble";

function board() {
  const told: (string | undefined)[] = [];
  return { board: new TroubleBoard((trouble) => told.push(trouble?.is)), told };
}

test("a trouble is told once, and its end", () => {
  const { board: all, told } = board();
  all.report("engine", "database-away");
  all.report("engine", "database-away");
  all.report("engine", undefined);
  all.report("engine", undefined);
  expect(told).toEqual(["database-away", undefined]);
});

test("a full disk is what is shown, whoever else misses the database, until both are content", () => {
  const { board: all, told } = board();
  all.report("engine", "database-away");
  const { since } = all.trouble ?? {};
  all.report("database", "disk-full");
  expect(all.trouble).toEqual({ is: "disk-full", since });
  all.report("database", undefined);
  all.report("engine", undefined);
  expect(told).toEqual(["database-away", "disk-full", "database-away", undefined]);
});

test("a word that is no trouble is not taken for one", () => {
  expect(troubleIn({ ready: true })).toBeUndefined();
  expect(troubleIn({ trouble: { is: "rain" } })).toBeUndefined();
  expect(troubleIn({ trouble: null })).toBeNull();
  expect(troubleIn({ trouble: { is: "disk-full" } })).toEqual({ is: "disk-full" });
});

test("people read what is wrong and what becomes of their runs", () => {
  expect(portalStatus(undefined)).toEqual({ trouble: null });
  const { trouble } = portalStatus({ is: "disk-full", since: "2026-01-01T00:00:00.000Z" });
  expect(trouble?.sentence).toMatch(/^The portal's disk is full; runs wait/);
});
