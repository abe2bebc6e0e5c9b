/**
 * Where the checkout is: the directory of our package.json, above this file whether it runs from its source or
 * from a bundle in `dist/`. Programs, migrations and the built pages are found from here.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

let found: string | undefined;

export function checkoutDirectory(): string {
  found ??= findUpwards(dirname(fileURLToPath(import.meta.url)));
  return found;
}

function findUpwards(start: string): string {
  for (let directory = start; ; directory = dirname(directory)) {
    const manifest = join(directory, "package.json");
    if (existsSync(manifest) && /"name":\s*"gridloom"/.test(readFileSync(manifest, "utf8"))) return directory;
    if (directory === dirname(directory)) throw new Error(`No gridloom package.json above ${start}`);
  }
}
