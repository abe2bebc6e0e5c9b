/** Staging between portal, clusters and hosts, with the real gateway, engine and agents. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { requestCommand } from "@/server/journal/queries/request-command";
import { ForeignHost } from "./foreign-host-for-tests";
import { GridForTests } from "./grid-for-tests";
import { passLargeFile } from "./large-file-for-tests";

const grid = new GridForTests();
const hosts: ForeignHost[] = [];

beforeAll(() => grid.start());
afterAll(() => grid.stop());
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.remove();
});

function host(): ForeignHost {
  const made = new ForeignHost();
  hosts.push(made);
  return made;
}

const succeeded = (run: string) =>
  expect.poll(() => grid.stateOf(run), { timeout: 90_000, interval: 100 }).toBe("succeeded");

test("a file of 256 MB goes to a host and back without being held in memory", async () => {
  const { gatewayMb, agentMb } = await passLargeFile(grid, host(), 256 * 2 ** 20);
  expect(gatewayMb).toBeLessThan(300);
  expect(agentMb).toBeLessThan(300);
});

test("names of the host's architecture, the job and the task are filled in for the host that was chosen", async () => {
  const here = host();
  here.run((await grid.agent()).script);
  const arch = process.arch === "x64" ? "x86_64" : "aarch64";
  const source =
    'task A -e prog.${GW_ARCH} -a "${GW_ARCH} ${GW_JOB_ID} ${GW_TASK_ID}" -i prog.${GW_ARCH} -o out.${GW_ARCH} log.${GW_JOB_ID}\n';
  const prog = `#!/bin/sh\necho "$@" > out.${arch}\necho log > "log.$2"\n`;
  const run = await grid.submit(source, { [`prog.${arch}`]: prog, "prog.other": "#!/bin/sh\nexit 1\n" });
  await succeeded(run);
  const job = `${run.slice(0, 8)}-0`;
  expect(await grid.outputOf(run, `out.${arch}`)).toBe(`${arch} ${job} 0\n`);
  expect(await grid.outputOf(run, `log.${job}`)).toBe("log\n");
});

test("a transient file serves another agent of the cluster, and goes when its run is over", async () => {
  const here = host();
  for (const _ of [1, 2]) here.run((await grid.agent({ slots: 1 })).script);
  // While two tasks of a kind run at a time, each of the two agents has one.
  const source = `transient a.1 a.2
foreach I in 1..2 { task A\${I} -e "sleep 3; echo \${I} > a.\${I}" -o a.\${I} }
foreach I in 1..2 { task B\${I} -e "sleep 3; cat a.1 a.2 > b.\${I}" -i a.1 a.2 -o b.\${I} }
task C -e "sleep 600" -i b.1
`;
  const run = await grid.submit(source);
  const made = (name: string) => expect.poll(() => grid.outputOf(run, name), { timeout: 90_000 }).toBe("1\n2\n");
  await made("b.1");
  await made("b.2");
  const { rows } = await grid.pool.query(
    "SELECT count(*)::int AS attempts, count(DISTINCT agent)::int AS agents FROM engine.attempt WHERE run = $1 AND task < 4",
    [run],
  );
  expect(rows).toEqual([{ attempts: 4, agents: 2 }]);
  expect(here.list(".gridloom/cache/kept")).toHaveLength(2);
  await requestCommand(grid.pool, { run, kind: "kill", requestedBy: "test" });
  await expect.poll(() => here.list(".gridloom/cache/kept"), { timeout: 60_000, interval: 500 }).toEqual([]);
});
