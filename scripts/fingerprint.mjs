/**
 * Whether something must be made again is decided by content, not by times: a fresh clone, a copied directory and a
 * switched branch all have misleading times.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** One hash over files and folders of the checkout (names and contents); what is missing counts as missing. */
export function fingerprint(paths, { ignore = () => false } = {}) {
  const hash = createHash("sha256");
  const add = (path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return;
    if (found.isDirectory()) {
      for (const name of readdirSync(path).sort()) if (!ignore(name)) add(join(path, name));
    } else if (found.isFile()) {
      const content = readFileSync(path);
      hash.update(`${relative(root, path)}\0${content.length}\0`);
      hash.update(content);
    }
  };
  for (const path of paths) add(join(root, path));
  return hash.digest("hex");
}

export const isTest = (name) => /\.test\.tsx?$/.test(name) || name === "node_modules";

/** The fingerprint something was made from, kept beside it. */
export function recorded(file) {
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

export function record(file, value) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${value}\n`);
  renameSync(`${file}.new`, file);
}
