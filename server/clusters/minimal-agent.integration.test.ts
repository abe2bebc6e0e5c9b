/**
 * The minimal agent: sh and curl against the real gateway and engine, under dash and under bash, on a host that has no Node.
 */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { AttemptOutput } from "@/server/files/attempt-output";
import { attemptsOfTask } from "@/server/journal/queries/attempts-of-task";
import { requestCommand } from "@/server/journal/queries/request-command";
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
  const made = new ForeignHost({ without: nodePlaces, ...options });
  hosts.push(made);
  return made;
}

const state = (run: string) => expect.poll(() => grid.stateOf(run), { timeout: 90_000, interval: 100 });

for (const shell of ["dash", "bash"]) {
  test(`under ${shell}: inputs, program, arguments, output and streams`, async () => {
    const here = host({ shell });
    const { script } = await grid.agent({ minimal: "always" });
    const { ended } = here.run(script);
    const program = `#!/bin/sh
printf '%s|' "$@" > "out dir/it's ö.txt"
cat data/in >> "out dir/it's ö.txt"
echo said; echo complained >&2
`;
    const source = `task A -e prog -a "a 'b  c' $HOME" -i prog data/in -o "out dir/it's ö.txt"\n`;
    const run = await grid.submit(source, { prog: program, "data/in": "given\n" });
    await state(run).toBe("succeeded");
    expect(await ended).toBe(0);
    expect(await grid.outputOf(run, "out dir/it's ö.txt")).toMatch(/^a\|b {2}c\|.*\|given\n$/);
    const output = new AttemptOutput(grid.parts.config.home.output);
    const text = async (stream: "stdout" | "stderr") =>
      (await output.read({ run, task: 0, ordinal: 1 }, stream, 0, 1000)).bytes.toString();
    expect([await text("stdout"), await text("stderr")]).toEqual(["said\n", "complained\n"]);
    expect(here.list(".gridloom/agents")).toEqual([]);
    expect(here.list(".gridloom/programs")).toEqual([]);
  });
}

test("a program that fails, or leaves no output, is told so", async () => {
  const here = host();
  const run = await grid.submit('task A -e "exit 7"\n', {}, { retries: 0 });
  expect(await here.run((await grid.agent({ minimal: "always" })).script).ended).toBe(0);
  await state(run).toBe("failed");
  expect(await attemptsOfTask(grid.pool, run, 0)).toMatchObject([{ outcome: "failed", exitCode: 7 }]);
  const lazy = await grid.submit('task A -e "true" -o never\n', {}, { retries: 0 });
  expect(await here.run((await grid.agent({ minimal: "always" })).script).ended).toBe(0);
  await state(lazy).toBe("failed");
  expect(await attemptsOfTask(grid.pool, lazy, 0)).toMatchObject([{ outcome: "failed", reason: "output-missing" }]);
});

test("is told to stop, and leaves nothing running", async () => {
  const here = host();
  const run = await grid.submit('task A -e "sleep 4242"\n');
  const { ended } = here.run((await grid.agent({ minimal: "always" })).script);
  await expect
    .poll(async () => (await attemptsOfTask(grid.pool, run, 0))[0]?.startedAt, { timeout: 60_000 })
    .toBeTruthy();
  await requestCommand(grid.pool, { run, kind: "kill", requestedBy: "test" });
  await state(run).toBe("killed");
  expect(await ended).toBe(0);
});

test("keeps at its task while the gateway is away, and reports later", async () => {
  const here = host();
  const run = await grid.submit('task A -e "sleep 3; echo done > out" -o out\n');
  const { ended } = here.run((await grid.agent({ minimal: "always" })).script);
  await expect
    .poll(async () => (await attemptsOfTask(grid.pool, run, 0))[0]?.startedAt, { timeout: 60_000 })
    .toBeTruthy();
  await grid.restartGateway(4000);
  await state(run).toBe("succeeded");
  expect(await attemptsOfTask(grid.pool, run, 0)).toHaveLength(1);
  expect(await ended).toBe(0);
});

test("serves where the portal's Node does not run, if that is allowed", async () => {
  const here = host();
  const { script } = await grid.agent({
    minimal: "fallback",
    programs: { ...grid.madePrograms, nodeFor: "Plan9 mips" },
  });
  const run = await grid.submit('task A -e "echo small > out" -o out\n');
  expect(await here.run(script).ended).toBe(0);
  await state(run).toBe("succeeded");
  expect(here.log).toContain("the minimal agent does one task instead");
});
