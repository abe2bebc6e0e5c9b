/**
 * An agent on a host that has a POSIX shell and little else: started from its script by dash, under an ordinary account, with the real
 * gateway and engine behind it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ForeignHost, type HostOptions, nodePlaces } from "./foreign-host-for-tests";
import { GridForTests } from "./grid-for-tests";

const grid = new GridForTests();
const hosts: ForeignHost[] = [];

beforeAll(() => grid.start());
afterAll(() => grid.stop());
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.remove();
});

function host(options: HostOptions = {}): ForeignHost {
  const made = new ForeignHost(options);
  hosts.push(made);
  return made;
}

const hello = 'task A -e "cat in > out; echo from $USER >> out" -i in -o out\n';
const succeeded = (run: string) =>
  expect.poll(() => grid.stateOf(run), { timeout: 90_000, interval: 100 }).toBe("succeeded");

describe("a host with a Node of its own", () => {
  test("fetches the agent only, works, and leaves only what the next agent can use", async () => {
    const here = host();
    const { script } = await grid.agent();
    const { child, ended } = here.run(script);
    const run = await grid.submit(hello, { in: "hello\n" });
    await succeeded(run);
    expect(await grid.outputOf(run, "out")).toMatch(/^hello\nfrom /);
    expect(here.list(".gridloom/programs")).toEqual([`agent-${grid.programs?.bundle}.mjs`]);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(here.list(".gridloom/agents")).toEqual([]);
  });

  test("what it tells of itself can be required: tags, speed, load", async () => {
    const here = host();
    await grid.addCluster("north");
    const { script, id } = await grid.agent({ cluster: "north", tags: { Site: "north" } });
    here.run(script);
    const wanted = 'requirement = "Site == \\"north\\" && KFlops > 1 && LoadAvg >= 0 && FreeMemory > 0"\n';
    const run = await grid.submit(`${wanted}task A -e "echo a > a.out" -o a.out\n`);
    await succeeded(run);
    const { rows } = await grid.pool.query("SELECT agent FROM engine.attempt WHERE run = $1", [run]);
    expect(rows).toEqual([{ agent: id }]);
  });

  test("the token is in no argument and no environment that others could read", async () => {
    const here = host();
    const { id, token, script } = await grid.agent();
    here.run(script);
    await expect.poll(() => joined(id), { timeout: 60_000 }).toBe("joined");
    const seen = readdirSync("/proc").filter((name) => {
      try {
        return ["cmdline", "environ"].some((what) => readFileSync(join("/proc", name, what), "latin1").includes(token));
      } catch {
        return false;
      }
    });
    expect(seen).toEqual([]);
    const [directory = ""] = here.list(".gridloom/agents");
    expect(here.list(join(".gridloom/agents", directory))).toContain("token");
  });

  test("a token that is not known, or a portal that is not there, ends the job with a sentence", async () => {
    const here = host();
    const { script, token } = await grid.agent();
    expect(await here.run(script.replaceAll(token, "x".repeat(36))).ended).not.toBe(0);
    expect(here.log).toContain("the agent could not be fetched from");
    expect(here.list(".gridloom/agents")).toEqual([]);
  });
});

describe("a host without Node", () => {
  for (const tool of ["curl", "wget"] as const) {
    test(`fetches the portal's own with ${tool}, once for several agents`, async () => {
      const other = tool === "curl" ? "wget" : "curl";
      const here = host({ without: [...nodePlaces, `/usr/bin/${other}`, `/bin/${other}`] });
      const agents = [await grid.agent(), await grid.agent()];
      for (const { script } of agents) here.run(script);
      for (const { id } of agents) await expect.poll(() => joined(id), { timeout: 90_000 }).toBe("joined");
      const { bundle, node } = grid.programs ?? {};
      expect(here.list(".gridloom/programs")).toEqual([`agent-${bundle}.mjs`, `node-${node}`]);
      const run = await grid.submit(hello, { in: "hello\n" });
      await succeeded(run);
    });
  }
});

async function joined(id: string): Promise<string | undefined> {
  const { rows } = await grid.pool.query<{ state: string }>("SELECT state FROM engine.agent WHERE id = $1", [id]);
  return rows[0]?.state;
}
