import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { benchmark } from "./benchmark";

test("a host is measured once a day, and again when what was kept is not a measurement", async () => {
  const directory = mkdtempSync(join(tmpdir(), "gridloom-benchmark-"));
  const file = join(directory, "benchmark.json");
  try {
    const first = await benchmark(file, 1_000_000);
    expect(first.KFlops).toBeGreaterThan(1000);
    expect(first.Mips).toBeGreaterThan(1);
    writeFileSync(file, JSON.stringify({ KFlops: 7, Mips: 8, at: 1_000_000 }));
    expect(await benchmark(file, 1_000_000 + 3600_000)).toEqual({ KFlops: 7, Mips: 8 });
    expect((await benchmark(file, 1_000_000 + 25 * 3600_000)).KFlops).toBeGreaterThan(1000);
    writeFileSync(file, "{");
    expect((await benchmark(file, 5)).KFlops).toBeGreaterThan(1000);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ at: 5 });
  } finally {
    rmSync(directory, { recursive: true });
  }
});
