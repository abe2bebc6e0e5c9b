/** A file of 4 GB through the grid: the portal and the agent each stay under 300 MB. */
import { expect, test } from "vitest";
import { ForeignHost } from "./foreign-host-for-tests";
import { GridForTests } from "./grid-for-tests";
import { passLargeFile } from "./large-file-for-tests";

test("4 GB go to a host and back without being held in memory", async () => {
  const grid = new GridForTests();
  const host = new ForeignHost();
  try {
    await grid.start();
    const account = await passLargeFile(grid, host, 4 * 2 ** 30);
    console.log(account);
    expect(account.gatewayMb).toBeLessThan(300);
    expect(account.agentMb).toBeLessThan(300);
  } finally {
    await host.remove();
    await grid.stop();
  }
});
