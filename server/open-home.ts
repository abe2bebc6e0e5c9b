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
  const closed = await closedDirectoryAbove(home.root);
  // Whether a home that was asked for will do is said when it is made.
  if (asked || !closed) return { home };
  const place = createHash("sha256").update(resolve(checkout)).digest("hex").slice(0, 10);
  const elsewhere = homeAt(join("/var/lib/gridloom", place));
  return { home: elsewhere, note: `other accounts cannot enter ${closed}, so the state is kept in ${elsewhere.root}` };
}

/** Started by root: the nearest directory above `path` that other accounts may not enter. */
async function closedDirectoryAbove(path: string): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    const found = await stat(directory).catch(() => undefined);
    if (found && (found.mode & 0o001) === 0) return directory;
    if (directory === dirname(directory)) return undefined;
  }
}

/** Makes the home and the directories in it, each with its mode; refuses a place where it could not work. */
export async function createHome(home: Home): Promise<void> {
  const asRoot = process.getuid?.() === 0;
  const closed = await closedDirectoryAbove(home.root);
  if (closed) {
    throw new StartProblem(
      `GRIDLOOM_HOME is ${home.root}, but other accounts cannot enter ${closed}. Started by root, Gridloom runs its database and people's programs under accounts of their own: ` +
        `set GRIDLOOM_HOME to a directory every account may enter (for example /var/lib/gridloom), or allow it with: chmod o+x '${closed}'`,
    );
  }
  const firstMade = await mkdir(home.root, { recursive: true });
  if (firstMade) {
    // Directories made on the way stay open to the accounts that work inside, whatever the umask.
    for (let made = dirname(home.root); made.length >= firstMade.length; made = dirname(made)) await chmod(made, 0o711);
  }
  await chmod(home.root, asRoot ? 0o711 : 0o700);
  for (const closed of [home.secrets, home.files, home.output, home.programs, home.logs, home.run, home.agent]) {
    await mkdir(closed, { recursive: true });
    await chmod(closed, 0o700);
  }
}
