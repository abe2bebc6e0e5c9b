import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chooseShim } from "./shim-choice";
import { ShimProcess } from "./shim-process";

/** Only root can hand tasks to other accounts. */
const account = process.getuid?.() === 0 ? { uid: 61_777, gid: 61_778 } : undefined;

describe("the choice of a shim", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "gridloom-choice-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("is the one in Perl where that gives a program exactly the rights it should have", async () => {
    const shim = await chooseShim(directory, account);
    expect(shim).toEqual({ words: ["perl", join(directory, "shim.pl")], takesAccounts: true });
  });

  it("is the plain one where the other cannot do it", async () => {
    // The highest number stands for no account at all, so the kernel takes it from nobody.
    const shim = await chooseShim(directory, { uid: 2 ** 32 - 1, gid: 2 ** 32 - 1 });
    expect(shim).toEqual({ words: ["/bin/sh", join(directory, "shim.sh")], takesAccounts: false });
  });

  it("does not matter for a request that asks the plain one for an account: nothing is started", async () => {
    const { words } = await chooseShim(directory, { uid: 2 ** 32 - 1, gid: 2 ** 32 - 1 });
    const process = await ShimProcess.start({ words, takesAccounts: false });
    writeFileSync(join(directory, "stdout"), "");
    const request = {
      spool: directory,
      words: ["touch", "ran"],
      environment: {},
      workingDirectory: directory,
      fileBytes: 1000,
      mostProcesses: undefined,
      before: [],
      afterwards: [],
      mergeErrors: false,
      account: { uid: 61_777, gid: 61_778 },
    };
    expect(await process.run(request)).toBe("never");
    process.end();
  });
});
