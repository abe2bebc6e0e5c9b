/**
 * The private directories of SSH connections: socket, known_hosts and, for moments, a key. Each is removed when its connection ends or
 * the process exits. A process that was killed leaves its own behind; the next one to connect removes it, by the number in its name.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";

const prefix = "gl-ssh-";
const kept = new Set<string>();
let watching = false;

export async function makeConnectionDirectory(parent: string): Promise<string> {
  if (!watching) {
    watching = true;
    removeAbandoned(parent);
    process.once("exit", () => {
      for (const directory of kept) rmSync(directory, { recursive: true, force: true });
    });
  }
  const directory = await mkdtemp(join(parent, `${prefix}${process.pid}-`));
  kept.add(directory);
  return directory;
}

export function removeConnectionDirectory(directory: string): void {
  kept.delete(directory);
  rmSync(directory, { recursive: true, force: true });
}

export function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(/^gl-ssh-(\d+)-/.exec(name)?.[1]);
    const directory = join(parent, name);
    if (!pid || isAlive(pid)) continue;
    const found = statSync(directory, { throwIfNoEntry: false });
    if (found?.isDirectory() && found.uid === process.getuid?.()) rmSync(directory, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
