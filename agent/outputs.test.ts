import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Cache } from "./cache";
import { collectOutputs, outputPath } from "./outputs";

describe("collecting outputs", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "gridloom-outputs-"));
    mkdirSync(join(root, "task"));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it("a descriptor the task kept open for writing does not reach what was collected", async () => {
    const cache = new Cache(join(root, "cache"), 2 ** 20);
    const directory = join(root, "task");
    writeFileSync(join(directory, "result"), "honest");
    const kept = openSync(join(directory, "result"), "r+");
    const from = { directory, ownerUid: process.getuid?.() ?? 0 };
    const spool = join(root, "spool");
    const collected = await collectOutputs(
      [{ name: "result", transient: true }],
      from,
      { outputs: spool },
      cache,
      "a-run",
    );
    writeSync(kept, "forged", 0);
    closeSync(kept);
    if (collected.is !== "collected") throw new Error(collected.detail);
    expect(readFileSync(outputPath(spool, 0), "utf8")).toBe("honest");
    const cached = await cache.use(collected.outputs[0]!.sha256, async (path) => readFileSync(path, "utf8"));
    expect(cached).toBe("honest");
  });
});
