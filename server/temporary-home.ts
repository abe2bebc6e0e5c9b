/** A GRIDLOOM_HOME for a test or a benchmark: in the system's temporary directory, gone when it is done with. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Home, homeAt } from "./home";

export interface TemporaryHome {
  home: Home;
  remove(): Promise<void>;
}

export async function makeTemporaryHome(): Promise<TemporaryHome> {
  const directory = await mkdtemp(join(tmpdir(), "gridloom-home-"));
  // mkdtemp closes its directory; as root, the database's and the slots' accounts must get through.
  await chmod(directory, 0o711);
  return {
    home: homeAt(join(directory, "home")),
    remove: () => rm(directory, { recursive: true, force: true, maxRetries: 3 }),
  };
}
