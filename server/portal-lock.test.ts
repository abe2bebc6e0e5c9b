/** One portal for one home, whatever a crash left behind. */
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Home } from "./home";
import { createHome } from "./open-home";
import { PortalLock, runningPortal } from "./portal-lock";
import { startOf } from "./process-identity";
import { makeTemporaryHome } from "./temporary-home";

let home: Home;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ home, remove } = await makeTemporaryHome());
  await createHome(home);
});

afterEach(() => remove());

describe("PortalLock", () => {
  it("tells the second starter which process has the home, and at which address", async () => {
    const lock = await PortalLock.take(home, true);
    await lock.announce({ databaseUrl: "postgresql://x", gatewayUrl: "http://g", url: "http://localhost:3000" });
    await expect(PortalLock.take(home, true)).rejects.toThrow(
      new RegExp(`already running at http://localhost:3000 \\(process ${process.pid}`),
    );
  });

  it("can be taken again after its release", async () => {
    const lock = await PortalLock.take(home, true);
    await lock.release();
    expect(await runningPortal(home)).toBeUndefined();
    await expect(PortalLock.take(home, true)).resolves.toBeDefined();
  });

  it("ignores a holder that is gone, also when its number belongs to another process now", async () => {
    const stale = { pid: process.pid, start: "another time", web: true };
    await writeFile(join(home.run, "portal.json"), JSON.stringify(stale));
    expect(await runningPortal(home)).toBeUndefined();
    await PortalLock.take(home, true);
    expect(await runningPortal(home)).toMatchObject({ pid: process.pid, start: startOf(process.pid) });
  });

  it("ignores a file that is not one of ours", async () => {
    await writeFile(join(home.run, "portal.json"), "{");
    await expect(PortalLock.take(home, true)).resolves.toBeDefined();
  });

  it("keeps the database's address to its owner", async () => {
    const lock = await PortalLock.take(home, true);
    await lock.announce({ databaseUrl: "postgresql://user:secret@host/name", gatewayUrl: "http://g" });
    expect((await stat(join(home.run, "portal.json"))).mode & 0o777).toBe(0o600);
  });
});
