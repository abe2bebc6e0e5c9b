/**
 * Private keys, read and made by ssh-keygen: the same program family that will use them, so what it takes, ssh takes. A key is
 * a file for as long as that needs, in a directory only we may enter.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemPath } from "./try-program";

const run = promisify(execFile);
const limits = { timeout: 10_000, maxBuffer: 1024 * 1024, env: { PATH: systemPath, NODE_ENV: "production" } } as const;

export interface SshKey {
  privateKey: string;
  /** One line for `authorized_keys`. */
  publicKey: string;
  /** As `ssh-keygen -l` tells it: `SHA256:…`. */
  fingerprint: string;
}

export type ReadKey = { is: "key"; key: SshKey } | { is: "problem"; sentence: string };

/** Keys with a passphrase are not taken: there is nobody to ask when an agent is to be started at night. */
export async function readSshKey(text: string): Promise<ReadKey> {
  const privateKey = `${text.trim().replaceAll("\r\n", "\n")}\n`;
  return await inPrivateDirectory(async (directory) => {
    const file = join(directory, "key");
    await writeFile(file, privateKey, { mode: 0o600 });
    try {
      const { stdout } = await run("ssh-keygen", ["-y", "-P", "", "-f", file], limits);
      const publicKey = stdout.trim();
      return { is: "key", key: { privateKey, publicKey, fingerprint: fingerprintOf(publicKey) } };
    } catch (error) {
      return { is: "problem", sentence: sentenceOf(error) };
    }
  });
}

export async function makeSshKey(comment: string): Promise<SshKey> {
  return await inPrivateDirectory(async (directory) => {
    const file = join(directory, "key");
    await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", file], limits);
    const publicKey = (await readFile(`${file}.pub`, "utf8")).trim();
    return { privateKey: await readFile(file, "utf8"), publicKey, fingerprint: fingerprintOf(publicKey) };
  });
}

/** Of a public key as it stands in `authorized_keys` or `known_hosts`: the base64 word that begins with the key's type. */
export function fingerprintOf(line: string): string {
  const word = /(?:^|\s)(AAAA[A-Za-z0-9+/=]+)/.exec(line)?.[1] ?? "";
  return `SHA256:${createHash("sha256").update(Buffer.from(word, "base64")).digest("base64").replace(/=+$/, "")}`;
}

function sentenceOf(error: unknown): string {
  const said = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
  if (/passphrase/i.test(said)) {
    return "This key has a passphrase. Use a key without one, or have the portal make a key.";
  }
  if (error instanceof Error && "code" in error && error.code === "ENOENT") {
    return "The portal's machine has no ssh-keygen. Install the OpenSSH client there.";
  }
  return "This is not a private key that ssh can read.";
}

async function inPrivateDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "gridloom-key-"));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
