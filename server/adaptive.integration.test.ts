/**
 * Real programs on real agents leave one host and go on on another: because somebody asks, because the host dies, is loaded or
 * does not fit any longer, or because its link is cut.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { RunId } from "@/core/engine/ids";
import { requestTaskCommand } from "@/server/journal/queries/request-command";
import { AdaptiveGrid } from "./adaptive-grid-for-tests";

const grid = new AdaptiveGrid();
const example = (name: string) => readFileSync(join("examples/linkmap", name));
const linkmap = {
  source: example("linkmap.gadl").toString(),
  inputs: { "pedfile.dat": example("pedfile.dat"), "datafile.dat": example("datafile.dat") },
};
/** What LINKMAP writes when nobody disturbs it. */
let undisturbed: Promise<string>;

beforeAll(async () => {
  undisturbed = runUndisturbed();
  undisturbed.catch(() => undefined);
  await grid.start();
}, 240_000);
afterEach(() => grid.clear());
afterAll(() => grid.stop(), 60_000);

async function runUndisturbed(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "gridloom-linkmap-"));
  try {
    for (const [name, content] of Object.entries(linkmap.inputs)) writeFileSync(join(directory, name), content);
    await promisify(execFile)("sh", ["-c", "unknown && linkmap"], { cwd: directory });
    return readFileSync(join(directory, "outfile.dat"), "utf8");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The portal has restart files with at least one point computed. */
const gotSomewhere = (run: RunId) =>
  grid.until("a point is computed and safe", async () => ((await grid.restartFiles(run))?.["outfile.dat"] ?? 0) > 0);

/** Only this test's hosts: those of another one count as joined for a while after they are gone. */
const batch = (name: string, tags: Record<string, number> = {}) => ({ config: { tags: { Batch: name, ...tags } } });
const only = (name: string) => `-r "Batch == \\"${name}\\""`;

const ask = (run: RunId) => requestTaskCommand(grid.pool, { run, kind: "migrate", task: 0, requestedBy: "cli:test" });

describe("LINKMAP in mid-computation", () => {
  it("goes on on another host when somebody asks, and its result is the same to the byte", async () => {
    await grid.host("ursa", batch("asked"));
    const run = await grid.submit(`${linkmap.source.trimEnd()} ${only("asked")}\n`, linkmap.inputs);
    await gotSomewhere(run);
    await grid.host("lyra", batch("asked"));
    await ask(run);
    await grid.stateIs(run, "succeeded", 240_000);
    expect(await grid.outputOf(run, "outfile.dat")).toBe(await undisturbed);
    const attempts = await grid.attempts(run);
    expect(attempts.map(({ host, outcome, reason, because }) => [host, outcome, reason, because])).toEqual([
      ["ursa", "cancelled", "moved-asked", "first"],
      ["lyra", "succeeded", null, "moved"],
    ]);
    expect(await grid.restartFiles(run)).toBeUndefined();
    const events = (await grid.eventsOf(run)).map(({ code }) => code);
    expect(events).toContain("migration-begun");
  }, 400_000);

  it("goes on on another host when the first one dies", async () => {
    const ursa = await grid.host("ursa", batch("died"));
    const run = await grid.submit(`${linkmap.source.trimEnd()} ${only("died")}\n`, linkmap.inputs);
    await gotSomewhere(run);
    await ursa.die();
    const safe = await grid.restartFiles(run);
    await grid.host("lyra", batch("died"));
    await grid.stateIs(run, "succeeded", 240_000);
    expect(safe?.["checkpoint.LINKMAP"]).toBeGreaterThan(0);
    expect(await grid.outputOf(run, "outfile.dat")).toBe(await undisturbed);
    const attempts = await grid.attempts(run);
    expect(attempts.map(({ host, outcome, reason }) => [host, outcome, reason])).toEqual([
      ["ursa", "lost", "agent-silent"],
      ["lyra", "succeeded", null],
    ]);
  }, 400_000);
});

/** Works in steps, each told with its seconds, and goes on from the last one. */
const steps = `#!/bin/sh
i=$(cat state 2>/dev/null || echo 0)
echo "$i" > began
while [ "$i" -lt "$1" ]; do
  begin=$(date +%s%N)
  awk 'BEGIN { for (j = 0; j < 6000000; j++) s += sqrt(j) }'
  i=$((i + 1))
  echo "$i" > state.new && mv state.new state
  end=$(date +%s%N)
  echo "$i $(awk -v a="$begin" -v b="$end" 'BEGIN { print (b - a) / 1e9 }')" >> times
done
echo "$i steps, the last ones from $(cat began) on $(hostname)" > result
`;

describe("a loaded host", () => {
  const hogs: ChildProcess[] = [];
  afterEach(() => {
    for (const hog of hogs.splice(0)) hog.kill("SIGKILL");
  });

  /** A compute-intensive program that has nothing to do with us. */
  const load = (processor: number) => {
    for (let i = 0; i < 6; i++) {
      // Sessions of their own: the scheduler shares a processor among sessions first.
      const words = ["-c", String(processor), "sh", "-c", "while :; do :; done"];
      hogs.push(spawn("taskset", words, { stdio: "ignore", detached: true }));
    }
  };

  it("shows in the profile of its task, which moves and ends earlier than one that stays", async () => {
    const processors = availableParallelism();
    await grid.host("rana", { processor: 0, ...batch("load") });
    const source = (migrate: string) =>
      `task t -e ./steps.sh -a 30 -i steps.sh -o result -restart state -checkpoint 1 -profile times -contract "2.5x" -migrate ${migrate} ${only("load")}\n`;
    const timeOf = async (migrate: string) => {
      const run = await grid.submit(source(migrate), { "steps.sh": steps });
      await grid.until("it has worked undisturbed", async () => ((await samplesOf(run)).length ?? 0) >= 4);
      load(0);
      const began = Date.now();
      await grid.stateIs(run, "succeeded", 240_000);
      for (const hog of hogs.splice(0)) hog.kill("SIGKILL");
      return { run, seconds: (Date.now() - began) / 1000 };
    };
    const stayed = await timeOf("never");
    expect(await grid.attempts(stayed.run)).toHaveLength(1);
    await grid.host("sciclone", { processor: Math.min(1, processors - 1), ...batch("load") });
    const moved = await timeOf("forced");
    const attempts = await grid.attempts(moved.run);
    console.log(`loaded: ${moved.seconds.toFixed(1)} s with moving, ${stayed.seconds.toFixed(1)} s without`);
    expect(attempts.map(({ host, reason }) => [host, reason])[0]).toEqual([attempts[0]?.host, "moved-performance"]);
    expect(attempts.at(-1)?.outcome).toBe("succeeded");
    const begun = (await grid.eventsOf(moved.run)).find(({ code }) => code === "migration-begun");
    expect(Number(begun?.args.seconds)).toBeGreaterThan(Number(begun?.args.limit));
    expect(await grid.outputOf(moved.run, "result")).not.toMatch(/from 0 on/);
    if (processors > 1) expect(moved.seconds).toBeLessThan(stayed.seconds);
  }, 600_000);

  async function samplesOf(run: RunId): Promise<unknown[]> {
    const { rows } = await grid.pool.query("SELECT n, seconds FROM engine.profile_sample WHERE run = $1", [run]);
    return rows;
  }
});

describe("a task that raises its requirement while it runs", () => {
  it("moves to a host that meets it (GridWay, 5.3.2)", async () => {
    const program = `#!/bin/sh
if [ -f phase ]; then hostname > result; exit 0; fi
sleep 1
echo second > phase.new && mv phase.new phase
echo "PhysicalMemory >= 512" > needs
sleep 300
`;
    await grid.host("babieca", batch("fold", { PhysicalMemory: 256 }));
    const source = `task fold -e ./fold.sh -i fold.sh -o result -restart phase -checkpoint 1 -requirement-file needs ${only("fold")}\n`;
    const run = await grid.submit(source, { "fold.sh": program });
    await grid.until("it runs", async () => (await grid.attempts(run))[0]?.startedAt);
    await grid.host("aquila", batch("fold", { PhysicalMemory: 384 }));
    await grid.host("pegasus", batch("fold", { PhysicalMemory: 1024 }));
    await grid.stateIs(run, "succeeded");
    expect((await grid.outputOf(run, "result"))?.trim()).toBe("pegasus");
    expect((await grid.attempts(run)).map(({ host, reason }) => [host, reason])).toEqual([
      ["babieca", "moved-requirements"],
      ["pegasus", null],
    ]);
  }, 200_000);
});

describe("a link that is cut", () => {
  it("lets the tasks run elsewhere; the late result is refused and cleaned up", async () => {
    const cut = await grid.host("far", batch("cut"));
    const program = "#!/bin/sh\nsleep 12\nhostname > result\n";
    const run = await grid.submit(`task t -e ./slow.sh -i slow.sh -o result ${only("cut")}\n`, { "slow.sh": program });
    await grid.until("it runs", async () => (await grid.attempts(run))[0]?.startedAt);
    cut.link.cut();
    await grid.host("near", batch("cut"));
    await grid.until(
      "the cut host has its result",
      async () => existsSync(join(cut.directory, "agent/outcomes")),
      60_000,
    );
    await grid.stateIs(run, "succeeded");
    expect((await grid.outputOf(run, "result"))?.trim()).toBe("near");
    cut.link.mend();
    await grid.until("the cut agent was refused", async () => cut.exitCode === 75);
    const remains = join(cut.directory, "agent/attempts");
    expect(existsSync(remains)).toBe(false);
    expect((await grid.attempts(run)).map(({ host, outcome }) => [host, outcome])).toEqual([
      ["far", "lost"],
      ["near", "succeeded"],
    ]);
    expect((await grid.outputOf(run, "result"))?.trim()).toBe("near");
  }, 300_000);
});

describe("a time limit", () => {
  it("ends a task with restart files only for this host, and it goes on elsewhere", async () => {
    const program = `#!/bin/sh
n=$(cat count 2>/dev/null || echo 0)
while [ "$n" -lt 9 ]; do sleep 1; n=$((n + 1)); echo "$n" > count.new && mv count.new count; done
echo "$n" > result
`;
    await grid.host("one", batch("time"));
    await grid.host("two", batch("time"));
    const source = `task t -e ./count.sh -i count.sh -o result -restart count -checkpoint 1 ${only("time")}\n`;
    const run = await grid.submit(source, { "count.sh": program }, { wallSeconds: 6 });
    await grid.stateIs(run, "succeeded");
    const attempts = await grid.attempts(run);
    expect(attempts[0]?.reason).toBe("moved-wall-time");
    expect(new Set(attempts.map(({ host }) => host)).size).toBeGreaterThan(1);
    expect((await grid.outputOf(run, "result"))?.trim()).toBe("9");
  }, 200_000);
});

describe("programs of the user's own", () => {
  it("choose the host, judge the performance, and stand around the program", async () => {
    const scripts = {
      "choose.sh":
        '#!/bin/sh\nsort > seen\ngrep -q "^beta " seen && echo "gsiftp://beta:2811/ beta/jobmanager 7 1 x86"\n',
      "judge.sh": '#!/bin/sh\n[ "$(hostname)" = beta ] && { echo "too slow for me"; exit 1; }\nexit 0\n',
      "wrap.sh": '#!/bin/sh\necho wrapped > wrapped\nexec "$@"\n',
      "work.sh":
        '#!/bin/sh\n[ -f half ] || { echo half > half; [ "$(hostname)" = beta ] && sleep 300; }\ncat wrapped begun > result; hostname >> result\n',
    };
    await grid.host("alpha", batch("own"));
    await grid.host("beta", batch("own"));
    const source = `task t -e ./work.sh -i work.sh choose.sh judge.sh wrap.sh -o result -restart half -checkpoint 1
      -selector ./choose.sh -evaluator ./judge.sh -wrapper ./wrap.sh -prolog "sh -c 'echo begun > begun'" ${only("own")}\n`;
    const run = await grid.submit(source, scripts);
    await grid.until("the evaluator wants it away", async () => {
      return (await grid.eventsOf(run)).some(({ args }) => args.evaluator === "too slow for me");
    });
    const attempts = await grid.attempts(run);
    expect(attempts.map(({ host }) => host)).toContain("beta");
    // Its own selector allows no other host, so it works on there.
    expect(await grid.stateOf(run)).toBe("running");
  }, 200_000);
});
