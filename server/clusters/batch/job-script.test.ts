/** Job scripts, run by a real sh. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { smallJob } from "../jobs-for-tests";
import { slurm } from "../slurm/dialect";
import { batches, userWord } from "./batches";
import { jobScript } from "./job-script";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "gl-script-"));
});
afterEach(() => rmSync(home, { recursive: true }));

function run(script: string, environment: Record<string, string> = {}): number | null {
  const env = { PATH: process.env.PATH ?? "", HOME: home, NODE_ENV: "test" as const, ...environment };
  return spawnSync("/bin/sh", [], { input: script, env }).status;
}

test("one job logs to its own file in the home and ends with its script's code", () => {
  const job = smallJob("echo out; echo err >&2; exit 4");
  expect(run(jobScript([job], "INDEX", 0, {}))).toBe(4);
  const log = join(home, ".gridloom", "logs", `${job.agent}.log`);
  expect(readFileSync(log, "utf8")).toBe("out\nerr\n");
  expect(statSync(log).mode & 0o777).toBe(0o600);
});

test("each element of an array runs its own script, whatever is in it", () => {
  const jobs = [0, 1, 2].map((index) =>
    smallJob(`#!/bin/sh\nset -e\ncat <<'END'\n}; element ${index} $HOME\nEND\nexit ${index + 10}`),
  );
  const script = jobScript(jobs, "INDEX", 1, { stateDirectory: "a place" });
  for (const [index, job] of jobs.entries()) {
    expect(run(script, { INDEX: String(index + 1) })).toBe(index + 10);
    expect(readFileSync(join(home, "a place", "logs", `${job.agent}.log`), "utf8")).toBe(`}; element ${index} $HOME\n`);
  }
});

test("only jobs of one user that ask for the same are submitted together, and not too many", () => {
  const alike = Array.from({ length: 250 }, () => smallJob("exit 0"));
  const others = [smallJob("exit 0", { user: "bob" }), smallJob("exit 0", { cores: 2 })];
  const sizes = batches([...alike, ...others], slurm, {}).map(({ jobs }) => jobs.length);
  expect(sizes).toEqual([100, 100, 50, 1, 1]);
});

test("long scripts make small arrays", () => {
  const jobs = Array.from({ length: 10 }, () => smallJob(`# ${"x".repeat(500_000)}`));
  const parts = batches(jobs, slurm, {});
  expect(parts.every(({ script }) => script.length < 2_100_000)).toBe(true);
});

test("an agent's id is checked, a user's name made harmless", () => {
  expect(() => batches([smallJob("exit 0", { agent: "x; reboot" })], slurm, {})).toThrow();
  expect(userWord('Åsa "x" $(id)\n')).toBe("_sa__x____id__");
});
