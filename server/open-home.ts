/**
 * Chooses GRIDLOOM_HOME and makes it. By default it is `.gridloom/` in the checkout. Started by root, other accounts
 * (the database's, one for each slot) work inside it and must be able to enter: a checkout in root's own home would
 * keep them out, so the state then goes to /var/lib/gridloom.
 */
import { createHash } from "node:crypto";
import { chmod, mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Home, homeAt } from "./home";
import { StartProblem } from "./start-problem";

export interface HomeChoice {
  home: Home;
  /** Said once to whoever starts the portal, when the place is not the one they expect. */
  note?: string;
}

export async function chooseHome(checkout: string, environment = process.env): Promise<HomeChoice> {
  const asked = environment.GRIDLOOM_HOME;
  const home = homeAt(asked ? asked : join(checkout, ".gridloom"));
  if (process.getuid?.() !== 0) return { home };
  const closed = await closedDirectoryAbove(home.root);
  if (!closed) return { home };
  if (asked) {
    throw new StartProblem(
      `GRIDLOOM_HOME is ${home.root}, but other accounts cannot enter ${closed}. Started by root, Gridloom runs its database and people's programs under accounts of their own: ` +
        `set GRIDLOOM_HOME to a directory every account may enter (for example /var/lib/gridloom), or allow it with: chmod o+x '${closed}'`,
    );
  }
  const place = createHash("sha256").update(resolve(checkout)).digest("hex").slice(0, 10);
  const elsewhere = homeAt(join("/var/lib/gridloom", place));
  return { home: elsewhere, note: `other accounts cannot enter ${closed}, so the state is kept in ${elsewhere.root}` };
}

/** The first directory above `path` (the path itself too, if it exists) that others may not enter. */
async function closedDirectoryAbove(path: string): Promise<string | undefined> {
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    const found = await stat(directory).catch(() => undefined);
    if (found && (found.mode & 0o001) === 0) return directory;
    if (directory === dirname(directory)) return undefined;
  }
}

export async function createHome(home: Home): Promise<void> {
  const asRoot = process.getuid?.() === 0;
  const firstMade = await mkdir(home.root, { recursive: true });
  if (firstMade) {
    // Directories made on the way stay open to the accounts that work inside, whatever the umask.
    for (let made = dirname(home.root); made.length >= firstMade.length; made = dirname(made)) await chmod(made, 0o711);
  }
  await chmod(home.root, asRoot ? 0o711 : 0o700);
  for (const closed of [home.secrets, home.files, home.output, home.logs, home.run, home.agent]) {
    await mkdir(closed, { recursive: true });
    await chmod(closed, 0o700);
  }
}
