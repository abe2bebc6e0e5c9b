/** One workflow over everything at once: this machine, two SSH hosts, Slurm and Grid Engine. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { GridEngineCluster } from "@/server/testbed/grid-engine-for-tests";
import { SlurmCluster } from "@/server/testbed/slurm-for-tests";
import { type SshHost, startSshHosts } from "@/server/testbed/ssh-hosts-for-tests";
import { PortalWithClusters, sumOfSquares } from "./portal-with-clusters-for-tests";

let grid: PortalWithClusters;
let slurm: SlurmCluster;
let gridEngine: GridEngineCluster;
let hosts: SshHost[] = [];

beforeAll(async () => {
  grid = await PortalWithClusters.start(2);
  hosts = await startSshHosts([{ hostName: "alder" }, { hostName: "birch" }]);
  slurm = await SlurmCluster.start({ nodes: 2, cpus: 2 });
  gridEngine = await GridEngineCluster.start({ hosts: 2, slots: 2, reach: [grid.gatewayPort] });
}, 300_000);

afterAll(async () => {
  await grid?.stop();
  await slurm?.stop();
  await gridEngine?.stop();
  for (const host of hosts) await host.stop();
}, 60_000);

test("sixty tasks over this machine, two SSH hosts, Slurm and Grid Engine: the result is right, and each had its share", async () => {
  for (const host of hosts) await grid.register(`ssh-${host.hostName}`, "ssh", host);
  await grid.register("slurm", "slurm", await slurm.frontEnd(), { maxAgents: 2 });
  await grid.register("grid-engine", "gridengine", await gridEngine.frontEnd(), { maxAgents: 2 });
  // Long enough that this machine is not done with everything before agents have come everywhere.
  const run = await grid.squares(60, 4);
  expect(await grid.ended(run, 420)).toBe("succeeded");
  expect(await grid.sumOf(run)).toBe(sumOfSquares(60));
  const work = await grid.workOn(run);
  expect(Object.keys(work).sort()).toEqual(["grid-engine", "local", "slurm", "ssh-alder", "ssh-birch"]);
  expect(Object.values(work).reduce((sum, count) => sum + count, 0)).toBe(60);
  await grid.removeClusters();
}, 600_000);
