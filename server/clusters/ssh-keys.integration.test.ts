import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fingerprintOf, makeSshKey, readSshKey } from "./ssh-keys";

it("makes a key that it reads again, with the fingerprint ssh-keygen tells", async () => {
  const made = await makeSshKey("gridloom test");
  expect(made.publicKey).toMatch(/^ssh-ed25519 AAAA\S+ gridloom test$/);
  const read = await readSshKey(made.privateKey.replaceAll("\n", "\r\n"));
  expect(read).toEqual({ is: "key", key: { ...made, publicKey: made.publicKey } });
  const told = execFileSync("ssh-keygen", ["-lf", "-"], { input: made.publicKey, encoding: "utf8" });
  expect(told).toContain(made.fingerprint);
  expect(fingerprintOf(`[127.0.0.1]:2222 ${made.publicKey}`)).toBe(made.fingerprint);
});

it("says that a key with a passphrase is of no use, and that a torn one is none", async () => {
  const directory = mkdtempSync(join(tmpdir(), "gridloom-key-test-"));
  try {
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "open sesame", "-f", join(directory, "key")]);
    const locked = readFileSync(join(directory, "key"), "utf8");
    expect(await readSshKey(locked)).toMatchObject({ is: "problem", sentence: expect.stringContaining("passphrase") });
    const { privateKey } = await makeSshKey("torn");
    const torn = privateKey.replace(/\n.{20}/, "\n");
    expect(await readSshKey(torn)).toEqual({ is: "problem", sentence: "This is not a private key that ssh can read." });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
