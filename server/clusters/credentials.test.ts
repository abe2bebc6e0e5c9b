import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { homeAt } from "@/server/home";
import { CredentialVault, type KeyMaterial } from "./credentials";

const material: KeyMaterial = { kind: "ssh-key", privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n" };
const place = { cluster: "hpc", user: "0198c1de-0000-7000-8000-000000000001" };

describe("the credential vault", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "gridloom-vault-"));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it("opens what it sealed, also after a restart", async () => {
    const sealed = (await CredentialVault.open(homeAt(directory))).seal(place, material);
    expect(sealed.toString("latin1")).not.toContain("OPENSSH");
    expect((await CredentialVault.open(homeAt(directory))).unseal(place, sealed)).toEqual(material);
  });

  it("seals the same key differently each time", async () => {
    const vault = await CredentialVault.open(homeAt(directory));
    expect(vault.seal(place, material).equals(vault.seal(place, material))).toBe(false);
  });

  it("does not open for another cluster, another person or the service account", async () => {
    const vault = await CredentialVault.open(homeAt(directory));
    const sealed = vault.seal(place, material);
    expect(vault.unseal({ ...place, cluster: "other" }, sealed)).toBeUndefined();
    expect(vault.unseal({ ...place, user: "0198c1de-0000-7000-8000-000000000002" }, sealed)).toBeUndefined();
    expect(vault.unseal({ ...place, user: null }, sealed)).toBeUndefined();
  });

  it("does not open with another portal's key, nor what was changed or cut", async () => {
    const vault = await CredentialVault.open(homeAt(directory));
    const sealed = vault.seal(place, material);
    const other = await CredentialVault.open(homeAt(join(directory, "other")));
    expect(other.unseal(place, sealed)).toBeUndefined();
    for (const at of [0, 5, 20, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(vault.unseal(place, changed)).toBeUndefined();
    }
    expect(vault.unseal(place, sealed.subarray(0, 12))).toBeUndefined();
    expect(vault.unseal(place, Buffer.alloc(0))).toBeUndefined();
  });

  it("keeps its key in one closed file of the home", async () => {
    await CredentialVault.open(homeAt(directory));
    expect(await readdir(homeAt(directory).secrets)).toEqual(["credential-key"]);
    const file = join(homeAt(directory).secrets, "credential-key");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file, "utf8")).trim().length).toBeGreaterThanOrEqual(43);
  });
});
