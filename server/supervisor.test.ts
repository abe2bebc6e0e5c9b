/** The supervisor with tiny fake parts: readiness, restarts with back-off, and an end that always comes. */
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAlive } from "./process-identity";
import type { Launch } from "./supervised-part";
import { Supervisor } from "./supervisor";

const backOff = { firstMs: 20, longestMs: 80, healthyMs: 30_000 };
const staysUp =
  "process.send({ ready: true }); process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000);";

let directory: string;
let lines: string[];
let supervisor: Supervisor;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "gridloom-supervisor-"));
  lines = [];
  supervisor = new Supervisor(directory, (line) => lines.push(line), backOff);
});

afterEach(async () => {
  await supervisor.stop();
  await rm(directory, { recursive: true, force: true });
});

describe("Supervisor", () => {
  it("waits for a part to say that it is ready", async () => {
    const marker = join(directory, "marker");
    await supervisor.start({
      name: "engine",
      launch: node(`require('fs').writeFileSync(${JSON.stringify(marker)}, 'worked'); ${staysUp}`),
    });
    expect(await readFile(marker, "utf8")).toBe("worked");
  });

  it("restarts a part that was killed, and says so", async () => {
    await supervisor.start({ name: "engine", launch: node(staysUp) });
    const first = pidOf("engine");
    process.kill(first, "SIGKILL");
    await until(() => supervisor.pids().engine !== undefined && supervisor.pids().engine !== first);
    expect(lines).toContain("engine exited (signal SIGKILL), restarting in 0.02 s");
  });

  it("waits twice as long after each exit, up to a limit, and tells the first waiter with the end of the log", async () => {
    const started = supervisor.start({
      name: "gateway",
      launch: node("console.error('no such port'); process.exit(3)"),
    });
    await expect(started).rejects.toThrow(/gateway does not start[\s\S]*no such port/);
    await until(() => lines.length >= 4);
    expect(lines.slice(0, 4)).toEqual(
      [0.02, 0.04, 0.08, 0.08].map((delay) => `gateway exited (code 3), restarting in ${delay} s`),
    );
  });

  it("asks for the launch again at each start, and treats one that fails like an exit", async () => {
    let asked = 0;
    await supervisor.start({
      name: "agent",
      launch: () => {
        asked += 1;
        if (asked === 1) throw new Error("no identity yet");
        return node(staysUp)();
      },
    });
    expect(lines).toEqual(["agent could not be started (no identity yet), restarting in 0.02 s"]);
  });

  it("keeps what a part prints in a closed file and shows its warnings", async () => {
    const warning = JSON.stringify({ level: 40, msg: "the disk is nearly full" });
    const note = JSON.stringify({ level: 30, msg: "all is well" });
    await supervisor.start({ name: "engine", launch: node(`console.log('${note}\\n${warning}'); ${staysUp}`) });
    await until(() => lines.length > 0);
    expect(lines).toEqual(["engine: the disk is nearly full"]);
    const file = join(directory, "engine.log");
    expect(await readFile(file, "utf8")).toContain("all is well");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("stops web first and gateway last", async () => {
    const order = join(directory, "order");
    await writeFile(order, "");
    const names = ["gateway", "engine", "agent", "web"] as const;
    const says = (name: string) =>
      `process.on('SIGTERM', () => { require('fs').appendFileSync(${JSON.stringify(order)}, '${name} '); process.exit(0); });
       process.send({ ready: true }); setInterval(() => {}, 1000);`;
    await Promise.all(names.map((name) => supervisor.start({ name, launch: node(says(name)) })));
    await supervisor.stop();
    expect(await readFile(order, "utf8")).toBe("web agent engine gateway ");
  });

  it("kills a part that does not end by itself", async () => {
    await supervisor.start({
      name: "web",
      launch: node("process.on('SIGTERM', () => {}); process.send({ ready: true }); setInterval(() => {}, 1000);"),
    });
    const pid = pidOf("web");
    const begin = performance.now();
    await supervisor.stop();
    expect(isAlive(pid)).toBe(false);
    expect(performance.now() - begin).toBeLessThan(4000);
  });
});

function node(source: string): () => Launch {
  return () => ({ command: process.execPath, arguments: ["-e", source], environment: process.env });
}

function pidOf(name: string): number {
  const pid = supervisor.pids()[name];
  if (pid === undefined) throw new Error(`${name} is not running`);
  return pid;
}

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 10) {
    if (waited > 10_000) throw new Error("It did not happen within 10 s");
    await sleep(10);
  }
}
