import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { beOnly } from "./only-one";
import { startOf } from "./processes";

describe("the lock of an agent's directory", () => {
  let directory: string;
  let lock: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "gridloom-lock-"));
    lock = join(directory, "lock");
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it.each(["", "\n", "123", "999999999 gone/1\n"])(
    "is taken over when it holds %j, which is nobody's",
    async (content) => {
      writeFileSync(lock, content);
      await beOnly(lock, 200);
      expect(readFileSync(lock, "utf8")).toBe(`${process.pid} ${startOf(process.pid)}\n`);
      expect(readdirSync(directory)).toEqual(["lock"]);
    },
  );

  it("of an agent that runs is respected", async () => {
    writeFileSync(lock, `${process.ppid} ${startOf(process.ppid)}\n`);
    await expect(beOnly(lock, 100)).rejects.toThrow(`process ${process.ppid}`);
    expect(readdirSync(directory)).toEqual(["lock"]);
  });
});
