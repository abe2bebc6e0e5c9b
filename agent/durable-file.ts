/** Replaces a file so that after any crash it holds either the old content or the new one, whole. */
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

export async function writeDurably(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, "w", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
