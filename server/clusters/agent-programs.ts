/**
 * The programs an agent on a foreign host starts from: the agent's bundle and the portal's own Node, each under the SHA-256 of its
 * content in the home's `programs/`. A job may wait in a queue for days and ask for what the portal had when it was
 * submitted, so earlier ones stay for a while.
 */
import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { chmod, copyFile, mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { machine, type } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { checkoutDirectory } from "@/server/checkout";
import type { Home } from "@/server/home";

export interface AgentPrograms {
  /** The one-file agent. */
  bundle: string;
  /** The portal's Node, also packed with gzip. */
  node: string;
  /** As `uname -s` and `uname -m` say it: where that Node runs. */
  nodeFor: string;
}

const keptForMs = 90 * 24 * 3600 * 1000;

/** To be called at start; what is there already is only looked at. */
export async function publishAgentPrograms(home: Home): Promise<AgentPrograms> {
  await mkdir(home.programs, { recursive: true, mode: 0o700 });
  await removeOld(home.programs);
  const bundle = await publish(home.programs, join(checkoutDirectory(), "dist/agent.js"), false);
  const node = await publish(home.programs, process.execPath, true);
  return { bundle, node, nodeFor: `${type()} ${machine()}` };
}

async function publish(directory: string, source: string, packed: boolean): Promise<string> {
  const sha256 = await hashOf(source);
  const place = join(directory, sha256);
  await whole(place, (temporary) => copyFile(source, temporary));
  if (packed) {
    await whole(`${place}.gz`, (temporary) =>
      pipeline(createReadStream(place), createGzip(), createWriteStream(temporary)),
    );
  }
  return sha256;
}

/** The name appears when the content is complete; two processes that make it at once make the same. */
async function whole(place: string, write: (temporary: string) => Promise<void>): Promise<void> {
  if (await stat(place).catch(() => undefined)) {
    await utimes(place, new Date(), new Date());
    return;
  }
  const temporary = `${place}.${randomUUID()}`;
  try {
    await write(temporary);
    await chmod(temporary, 0o600);
    await rename(temporary, place);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

async function removeOld(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > keptForMs) await rm(path, { force: true });
  }
}
