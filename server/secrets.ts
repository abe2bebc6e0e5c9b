/**
 * Generated passwords and keys: one file each in GRIDLOOM_HOME/secrets, mode 0600, made on first use.
 */
import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Home } from "./home";

export type SecretName = "database-password" | "auth-secret" | "credential-key";

export async function secret(home: Home, name: SecretName): Promise<string> {
  const file = join(home.secrets, name);
  const kept = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  if (kept.trim() !== "") return kept.trim();
  const value = randomBytes(32).toString("base64url");
  await writePrivateFile(file, `${value}\n`);
  return value;
}

/** Whole or not at all: written to a temporary name, synced, renamed. */
export async function writePrivateFile(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.new`;
  await writeFile(temporary, content, { mode: 0o600 });
  const handle = await open(temporary, "r");
  await handle.sync();
  await handle.close();
  await rename(temporary, file);
}
