/**
 * The agent as it travels (one bundled file), real processes, a stub gateway over real HTTP. Under root each behaviour is
 * tried with accounts; namespaces and none are tried as an ordinary user, from root by switching to one.
 */
import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AgentUnderTest, assignmentOf, type Setting } from "./agent-under-test";
import { listProcesses } from "./processes";
import { StubGateway, stubToken } from "./stub-gateway";

const isRoot = process.getuid?.() === 0;
const hasNamespaces = spawnSync("unshare", ["--user", "--map-root-user", "true"]).status === 0;

let gateway: StubGateway;
let agent: AgentUnderTest | undefined;

beforeEach(async () => {
  gateway = new StubGateway();
  await gateway.listen();
});

afterEach(async () => {
  await agent?.remove();
  agent = undefined;
  await gateway.close();
});

function begin(setting: Omit<Setting, "gatewayUrl" | "token">): AgentUnderTest {
  agent = new AgentUnderTest({ ...setting, gatewayUrl: gateway.url, token: stubToken });
  agent.start();
  return agent;
}

/** A directory every account may write to, outside of what tasks are kept from. */
function openDirectory(of: AgentUnderTest, name: string): string {
  const path = join(of.root, name);
  mkdirSync(path);
  spawnSync("chmod", ["1777", path]);
  return path;
}

/** Processes that really run: what nobody has fetched the end of yet (a zombie) does not. */
async function living(matches: (process: { uid: number; command: string }) => boolean): Promise<string[]> {
  const found = await listProcesses();
  return found.flatMap(({ pid, uid }) => {
    const command = readCommand(pid);
    return matches({ uid, command }) ? [`${pid} ${command}`] : [];
  });
}

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

/** What this machine and this account can do: accounts need root, namespaces the kernel's leave. */
const modes: Setting["isolation"][] = [
  ...(isRoot ? (["accounts"] as const) : []),
  ...(hasNamespaces ? (["namespaces"] as const) : []),
  "none",
];
const isolated = modes.filter((isolation) => isolation !== "none");

describe.each(modes)("with isolation %s", (isolation) => {
  it("stages inputs, runs without a shell, delivers output and uploads outputs", async () => {
    begin({ isolation });
    const name = `in put's "ünï" ✓.txt`;
    const input = { name, ...gateway.addFile("content\n"), kept: false };
    const task = assignmentOf(
      { is: "exec", executable: "cp", arguments: [name, "sub dir/öut 'put'.txt"] },
      { inputs: [input], outputs: [{ name: "sub dir/öut 'put'.txt", transient: false }] },
    );
    const talk = assignmentOf({
      is: "exec",
      executable: "printf",
      arguments: ["%s|", "a  b", "$HOME", "x\ny", "'\"", ""],
    });
    gateway.assign(task, talk);
    const { outcome, epoch, usage } = await gateway.endOf(task.attempt);
    expect(outcome).toEqual({
      is: "succeeded",
      outputs: [{ name: "sub dir/öut 'put'.txt", sha256: input.sha256, size: 8, transient: false }],
    });
    expect(epoch).toBe(7);
    expect(usage.endedAt).toBeGreaterThanOrEqual(usage.startedAt ?? Number.POSITIVE_INFINITY);
    expect((await gateway.endOf(talk.attempt)).outcome).toEqual({ is: "succeeded", outputs: [] });
    expect(gateway.textOf(talk.attempt)).toBe("a  b|$HOME|x\ny|'\"||");
    expect(gateway.started.has(task.attempt)).toBe(true);
    await gateway.until("the agent forgets", () => gateway.held.length === 0);
    expect(gateway.surplusEnds).toEqual([]);
  });

  it("runs a staged program, in an environment of its own", async () => {
    begin({ isolation });
    const program = gateway.addFile('#!/bin/sh\nenv | sort\nls -a "$HOME"\npwd\nid -u >&2\n');
    const task = assignmentOf(
      { is: "exec", executable: "./prog", arguments: [] },
      { inputs: [{ name: "prog", ...program, kept: false }] },
    );
    gateway.assign(task);
    expect((await gateway.endOf(task.attempt)).outcome.is).toBe("succeeded");
    const text = gateway.textOf(task.attempt);
    const names = text.match(/^[A-Z_a-z]+(?==)/gm)?.filter((name) => name !== "_");
    expect(names).toEqual([
      "GRIDLOOM_ATTEMPT",
      "GRIDLOOM_RUN",
      "GRIDLOOM_TASK",
      "GW_RESTARTED",
      "GW_TASK_ID",
      "HOME",
      "LANG",
      "LOGNAME",
      "PATH",
      "PWD",
      "SHELL",
      "TMPDIR",
      "USER",
    ]);
    expect(text).not.toContain("must-not-be-seen");
    expect(text).toContain("\nprog\n");
  });

  it("connects the streams with files, and still tells what goes there while it goes on", async () => {
    begin({ isolation });
    const input = gateway.addFile("from a file\n");
    const task = assignmentOf(
      "cat; echo oops >&2; cp logs/out seen; cat seen; while ! [ -e done ]; do sleep 0.1; done; echo end",
      {
        inputs: [{ name: "in.txt", ...input, kept: false }],
        outputs: ["logs/out", "err"].map((name) => ({ name, transient: false })),
        stdin: "in.txt",
        stdout: "logs/out",
        stderr: "err",
      },
    );
    gateway.assign(task);
    await gateway.until("its output is told", () => gateway.textOf(task.attempt).startsWith("from a file\n"));
    writeFileSync(join(agent!.slotsDirectory, "1/done"), "");
    const { outcome } = await gateway.endOf(task.attempt);
    const contents = outcome.is === "succeeded" && outcome.outputs.map(({ sha256 }) => `${gateway.files.get(sha256)}`);
    expect(contents).toEqual(["from a file\nfrom a file\nend\n", "oops\n"]);
  });

  it("gives a task the variables of its workflow, but not in place of the run's own, nor before it is shut in", async () => {
    const { root } = begin({ isolation });
    const environment = [
      { name: "X", value: "a\nb 'c' $d" },
      { name: "OMP_NUM_THREADS", value: "2" },
      { name: "GRIDLOOM_ATTEMPT", value: "mine" },
      { name: "PATH", value: join(root, "nowhere") },
      { name: "LD_PRELOAD", value: join(root, "not-there.so") },
    ];
    const program = gateway.addFile(
      '#!/bin/sh\nprintf "%s|" "$X" "$OMP_NUM_THREADS" "$GRIDLOOM_CORES" "$GRIDLOOM_ATTEMPT"\n',
    );
    const task = assignmentOf(
      { is: "exec", executable: "a=b", arguments: [] },
      { environment, cores: 4, inputs: [{ name: "a=b", ...program, kept: false }] },
    );
    gateway.assign(task);
    expect((await gateway.endOf(task.attempt)).outcome).toEqual({ is: "succeeded", outputs: [] });
    expect(gateway.textOf(task.attempt)).toBe(`a\nb 'c' $d|2|4|${task.attempt}|`);
    // The loader complains in each program that is told this: the two shells of the task, none that shuts it in.
    expect(gateway.textOf(task.attempt, "stderr").match(/not-there/g)).toHaveLength(2);
  });

  it("runs commands around a program, shut in like it, and lets them decide", async () => {
    begin({ isolation });
    const script = gateway.addFile("#!/bin/sh\nid -u >whoami; [ $1 != 3 ] || { echo no good; exit 3; }\n");
    const more = { inputs: [{ name: "pre.sh", ...script, kept: false }] };
    const mended = assignmentOf("cat whoami; exit 5", {
      ...more,
      before: ["./pre.sh", "0"],
      afterwards: ["test", "$RETURN", "-eq", "5"],
    });
    const unprepared = assignmentOf("echo ran", { ...more, before: ["./pre.sh", "3"] });
    const refused = assignmentOf("true", { afterwards: ["test", "$RETURN", "-eq", "5"] });
    gateway.assign(mended, unprepared, refused);
    expect((await gateway.endOf(mended.attempt)).outcome).toEqual({ is: "succeeded", outputs: [] });
    if (isolation === "accounts") expect(Number(gateway.textOf(mended.attempt))).toBeGreaterThan(agent!.uidOf(0));
    expect((await gateway.endOf(unprepared.attempt)).outcome).toEqual({
      is: "failed",
      reason: "exit-code",
      exitCode: 3,
      detail: "The command before the task ended with exit code 3, so its program was not started. It said: no good",
    });
    expect(gateway.textOf(unprepared.attempt)).toBe("");
    expect((await gateway.endOf(refused.attempt)).outcome).toMatchObject({
      exitCode: 1,
      detail: "The command after the task ended with exit code 1; the task's program ended with exit code 0.",
    });
  });

  it("a task that is cancelled has no command after it", async () => {
    begin({ isolation });
    const task = assignmentOf("sleep 60", { before: ["true"], afterwards: ["sh", "-c", "exit 0"] });
    gateway.assign(task);
    await gateway.until("it runs", () => gateway.started.has(task.attempt));
    await delay(300);
    gateway.cancel(task.attempt);
    expect((await gateway.endOf(task.attempt)).outcome).toEqual({ is: "cancelled" });
  });

  it("a stream in a file counts as a file, also when its name is gone", async () => {
    begin({ isolation });
    const output = [{ name: "out", transient: false }];
    const limits = { streamBytes: 1000, outputBytes: 100_000 };
    const long = assignmentOf("head -c 50000 /dev/zero", { stdout: "out", outputs: output, limits });
    const endless = assignmentOf("rm out; head -c 99000 /dev/zero; head -c 99000 /dev/zero; sleep 60", {
      stdout: "out",
      outputs: output,
      limits,
    });
    gateway.assign(long, endless);
    expect((await gateway.endOf(long.attempt)).outcome).toMatchObject({ is: "succeeded", outputs: [{ size: 50_000 }] });
    expect((await gateway.endOf(endless.attempt)).outcome).toMatchObject({ is: "failed", reason: "output-limit" });
  });

  it("a daemon that left its session ends with its task", async () => {
    begin({ isolation });
    const task = assignmentOf(
      `(setsid sh -c 'exec 0<&- 1>&- 2>&-; while :; do sleep 1000; done' &) ; sleep 0.2; ps -e -o pid,args | grep 'sleep [1]000'`,
    );
    gateway.assign(task);
    expect((await gateway.endOf(task.attempt)).outcome.is).toBe("succeeded");
    expect(gateway.textOf(task.attempt)).toContain("sleep 1000");
    expect(await living(({ command }) => command === "sleep 1000")).toEqual([]);
  });

  it("kill -9 of the agent: the task goes on, its end is reported once, it started once", async () => {
    const one = begin({ isolation });
    const long = assignmentOf("echo started; sleep 1.5; echo ended; exit 3");
    const short = assignmentOf("sleep 0.5; echo short > result", { outputs: [{ name: "result", transient: false }] });
    gateway.assign(long, short);
    await gateway.until("both started", () => gateway.started.size === 2);
    await one.end("SIGKILL");
    await delay(800);
    expect(gateway.ended.size).toBe(0);
    one.start();
    expect((await gateway.endOf(short.attempt)).outcome.is).toBe("succeeded");
    expect((await gateway.endOf(long.attempt)).outcome).toMatchObject({
      is: "failed",
      reason: "exit-code",
      exitCode: 3,
    });
    expect(gateway.textOf(long.attempt)).toBe("started\nended\n");
    await gateway.until("the agent forgets", () => gateway.held.length === 0);
    expect(gateway.surplusEnds).toEqual([]);
    // A late repetition of an assignment starts nothing.
    gateway.ended.delete(long.attempt);
    gateway.assign(long);
    await delay(600);
    expect(gateway.held).toEqual([]);
  });

  it("cancelling ends a task that ignores signals", async () => {
    begin({ isolation });
    const task = assignmentOf("trap '' TERM INT HUP; echo here; while :; do sleep 1; done");
    const waiting = [assignmentOf("sleep 30"), assignmentOf("sleep 30")];
    gateway.assign(task, ...waiting);
    await gateway.until("it speaks", () => gateway.textOf(task.attempt) === "here\n");
    for (const { attempt } of [task, ...waiting]) gateway.cancel(attempt);
    for (const { attempt } of [task, ...waiting]) {
      expect((await gateway.endOf(attempt, 5000)).outcome).toEqual({ is: "cancelled" });
    }
  });

  it("a verdict whose agent died before it was carried out is carried out by the next", async () => {
    const one = begin({ isolation });
    const task = assignmentOf("echo up; sleep 1005");
    gateway.assign(task);
    await gateway.until("it runs", () => gateway.textOf(task.attempt) === "up\n");
    await one.end("SIGKILL");
    const file = join(one.directory, "attempts", task.attempt, "verdict.json");
    writeFileSync(file, JSON.stringify({ is: "cancelled" }));
    one.give(file);
    one.start();
    expect((await gateway.endOf(task.attempt)).outcome).toEqual({ is: "cancelled" });
    expect(await living(({ command }) => command === "sleep 1005")).toEqual([]);
    const next = assignmentOf("true");
    gateway.assign(next);
    expect((await gateway.endOf(next.attempt)).outcome.is).toBe("succeeded");
  });

  it("limits of time, memory and output end a task, each with its reason", async () => {
    begin({ isolation, slots: 4 });
    const over = {
      "time-limit": assignmentOf("sleep 60", { limits: { wallSeconds: 1 } }),
      "memory-limit": assignmentOf("head -c 200m /dev/zero | tail -c 200m | sleep 20", {
        limits: { memoryBytes: 100 * 2 ** 20 },
      }),
      "output-limit": assignmentOf("yes > many", { limits: { outputBytes: 2 ** 20 } }),
    };
    const files = assignmentOf("for i in 1 2 3 4 5 6; do head -c 300000 /dev/zero > f$i; done; sleep 20", {
      limits: { outputBytes: 2 ** 20 },
    });
    const printed = assignmentOf("head -c 3000000 /dev/zero; sleep 20", { limits: { streamBytes: 2 ** 20 } });
    gateway.assign(...Object.values(over), files, printed);
    for (const [reason, { attempt }] of Object.entries(over)) {
      const { outcome } = await gateway.endOf(attempt);
      expect(outcome).toMatchObject({ is: "failed", reason });
    }
    for (const { attempt } of [files, printed]) {
      expect((await gateway.endOf(attempt)).outcome).toMatchObject({ is: "failed", reason: "output-limit" });
    }
    expect(gateway.output.get(`${printed.attempt} stdout`)?.length).toBe(2 ** 20);
  });

  it("transient outputs stay here and serve later tasks; a lost one is reported", async () => {
    begin({ isolation });
    const first = assignmentOf("echo kept > t.dat", { outputs: [{ name: "t.dat", transient: true }] });
    gateway.assign(first);
    const { outcome } = await gateway.endOf(first.attempt);
    if (outcome.is !== "succeeded") throw new Error(JSON.stringify(outcome));
    const { sha256, size } = outcome.outputs[0]!;
    expect(gateway.files.has(sha256)).toBe(false);
    const second = assignmentOf("cat x/t2", { inputs: [{ name: "x/t2", sha256, size, kept: true }] });
    const third = assignmentOf("cat gone", { inputs: [{ name: "gone", sha256: "0".repeat(64), size: 1, kept: true }] });
    gateway.assign(second, third);
    expect((await gateway.endOf(second.attempt)).outcome.is).toBe("succeeded");
    expect(gateway.textOf(second.attempt)).toBe("kept\n");
    expect((await gateway.endOf(third.attempt)).outcome).toEqual({ is: "inputs-missing", files: ["gone"] });
  });

  it("says which executable, output or input is missing, and how a program failed", async () => {
    begin({ isolation });
    const noProgram = assignmentOf({ is: "exec", executable: "no-such-program", arguments: [] });
    const noOutput = assignmentOf("true", { outputs: [{ name: "a b.out", transient: false }] });
    const folder = assignmentOf("mkdir d", { outputs: [{ name: "d", transient: false }] });
    const noInput = assignmentOf("true", { inputs: [{ name: "i", sha256: "1".repeat(64), size: 1, kept: false }] });
    const aborted = assignmentOf("kill -ABRT $$");
    gateway.assign(noProgram, noOutput, folder, noInput, aborted);
    const failed = async (attempt: string) => {
      const { outcome } = await gateway.endOf(attempt);
      return outcome.is === "failed" ? outcome : undefined;
    };
    expect(await failed(noProgram.attempt)).toMatchObject({ reason: "executable-missing" });
    expect((await failed(noProgram.attempt))?.detail).toContain('"no-such-program"');
    expect(await failed(noOutput.attempt)).toMatchObject({ reason: "output-missing", exitCode: 0 });
    expect((await failed(noOutput.attempt))?.detail).toContain('"a b.out"');
    expect((await failed(folder.attempt))?.detail).toContain("directory");
    expect(await failed(noInput.attempt)).toMatchObject({ reason: "staging" });
    expect(await failed(aborted.attempt)).toMatchObject({ reason: "signal", signal: "SIGABRT" });
  });

  it("refuses an output that is a link to somebody else's file", async () => {
    const one = begin({ isolation });
    const inside = assignmentOf("echo fine > real; ln -s real link", { outputs: [{ name: "link", transient: false }] });
    const token = join(one.directory, "token");
    const outside = ["/etc/hostname", token].map((target) =>
      assignmentOf(`ln -s '${target}' stolen`, { outputs: [{ name: "stolen", transient: false }] }),
    );
    const through = assignmentOf("ln -s /etc d", { outputs: [{ name: "d/hostname", transient: false }] });
    gateway.assign(inside, ...outside, through);
    expect((await gateway.endOf(inside.attempt)).outcome.is).toBe("succeeded");
    for (const { attempt } of [...outside, through]) {
      expect((await gateway.endOf(attempt)).outcome).toMatchObject({ is: "failed", reason: "output-missing" });
    }
    expect([...gateway.files.values()].map(String)).toEqual(["fine\n"]);
  });

  it("a tree deeper than a path can say, or closed, is counted and removed", async () => {
    const one = begin({ isolation, slots: 1 });
    const deeper = "d=$(printf %0200d 7); for i in $(seq 30); do mkdir $d && cd -P $d || exit 9; done";
    const waits = assignmentOf(`${deeper}; echo x > f; mkdir -p closed/x; chmod 0 closed; echo down; sleep 1.5`);
    const large = assignmentOf(`${deeper}; head -c 3000000 /dev/urandom > f; sleep 20`, {
      limits: { outputBytes: 2 ** 20 },
    });
    const shared = assignmentOf(
      "mkdir -p open/deep; echo x > open/deep/f; ln -s / open/link; chmod -R a+w open; chmod 777 .",
    );
    const after = assignmentOf("ls -A");
    gateway.assign(waits, large, shared, after);
    expect((await gateway.endOf(waits.attempt)).outcome).toEqual({ is: "succeeded", outputs: [] });
    expect((await gateway.endOf(large.attempt)).outcome).toMatchObject({ is: "failed", reason: "output-limit" });
    await gateway.endOf(after.attempt);
    expect(gateway.textOf(after.attempt)).toBe(".tmp\n");
    expect(one.log).not.toContain("could not");
  });

  it("stops within two seconds on SIGTERM, takes its tasks with it and says so", async () => {
    const one = begin({ isolation });
    const task = assignmentOf("echo up; sleep 1001");
    gateway.assign(task);
    await gateway.until("it runs", () => gateway.textOf(task.attempt) === "up\n");
    const began = Date.now();
    expect(await one.end("SIGTERM")).toBe(0);
    expect(Date.now() - began).toBeLessThan(2000);
    expect(await living(({ command }) => command === "sleep 1001")).toEqual([]);
    expect((await gateway.endOf(task.attempt)).outcome).toEqual({ is: "lost", reason: "agent-stopped" });
    expect(gateway.goodbyes).toBe(1);
  });
});

describe.each(isolated)("with isolation %s", (isolation) => {
  it("a task sees neither the agent's secrets nor another slot", async () => {
    const one = begin({ isolation });
    const neighbour = assignmentOf("echo mine > private; sleep 3");
    gateway.assign(neighbour);
    await gateway.until("the neighbour is in", () => existsSync(join(one.slotsDirectory, "1", "private")), 5000);
    const places = [
      join(one.directory, "token"),
      one.configFile,
      join(one.directory, "outcomes"),
      join(one.slotsDirectory, "1", "private"),
    ];
    const spy = assignmentOf(
      `for f in ${places.map((path) => `'${path}'`).join(" ")}; do cat "$f" && echo READ "$f"; done; ` +
        `ls '${one.slotsDirectory}' && echo LISTED; ls '${one.slotsDirectory}/1' && echo LISTED; ` +
        `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep PORTAL_SECRET && echo ENVIRON; ` +
        `kill -9 -1; true`,
    );
    const stays = assignmentOf("echo alive");
    gateway.assign(spy);
    await gateway.endOf(spy.attempt);
    expect(gateway.textOf(spy.attempt)).not.toMatch(/READ|LISTED|ENVIRON|mine|stub-token/);
    expect((await gateway.endOf(neighbour.attempt)).outcome.is).toBe("succeeded");
    gateway.assign(stays);
    expect((await gateway.endOf(stays.attempt)).outcome.is).toBe("succeeded");
  });
});

describe.each(isolated.filter((isolation) => isolation === "accounts"))("with isolation %s", (isolation) => {
  it("leaves nothing of a task for the next one: neither files nor processes", async () => {
    begin({ isolation, slots: 1 });
    const marker = join("/tmp", `gridloom-left-${process.pid}`);
    const first = assignmentOf(`echo secret > '${marker}'; echo x > own; (setsid sleep 1002 >/dev/null 2>&1 &)`);
    gateway.assign(first);
    expect((await gateway.endOf(first.attempt)).outcome.is).toBe("succeeded");
    const second = assignmentOf(`ls -A; ls '${marker}'; ps -u $(id -u) -o args= | grep -c 'sleep [1]002'; true`);
    gateway.assign(second);
    await gateway.endOf(second.attempt);
    expect(gateway.textOf(second.attempt)).toBe(".tmp\n0\n");
  });

  it("leaves no shared memory, semaphores or queues, and counts files in /tmp as output", async () => {
    const one = begin({ isolation, slots: 1 });
    const first = assignmentOf("ipcmk -M 4096 -S 1 -Q; [ ! -w /run/lock ] || echo x > /run/lock/gridloom-left-$$");
    const large = assignmentOf("head -c 3000000 /dev/zero > /tmp/gridloom-large-$$; sleep 20", {
      limits: { outputBytes: 2 ** 20 },
    });
    gateway.assign(first, large);
    expect((await gateway.endOf(first.attempt)).outcome.is).toBe("succeeded");
    const uid = new RegExp(`\\b${one.uidOf(1)}\\b`);
    for (const kind of ["shm", "sem", "msg"]) expect(readFileSync(`/proc/sysvipc/${kind}`, "utf8")).not.toMatch(uid);
    expect(readdirSync("/run/lock").filter((name) => name.startsWith("gridloom-left"))).toEqual([]);
    expect((await gateway.endOf(large.attempt)).outcome).toMatchObject({ is: "failed", reason: "output-limit" });
    expect(readdirSync("/tmp").filter((name) => name.startsWith("gridloom-large"))).toEqual([]);
  });

  it("an output that belongs to another account is refused, and a task cannot gain rights", async () => {
    begin({ isolation });
    const task = assignmentOf("ln /etc/shadow stolen; grep NoNewPrivs /proc/self/status; id -u", {
      outputs: [{ name: "stolen", transient: false }],
    });
    gateway.assign(task);
    expect((await gateway.endOf(task.attempt)).outcome.is).toBe("failed");
    expect(gateway.textOf(task.attempt)).toMatch(/^NoNewPrivs:\t1\n615\d\d\n$/);
    expect(gateway.files.size).toBe(0);
  });

  it("a task that never stops forking is ended all the same", async () => {
    const one = begin({ isolation, slots: 1 });
    const runner = assignmentOf(`f() { (f &) ; }; (setsid sh -c 'f() { sh -c : ; (f &) ; }; f' &); sleep 0.3`);
    gateway.assign(runner);
    expect((await gateway.endOf(runner.attempt, 30_000)).outcome.is).toBe("succeeded");
    expect(await living(({ uid }) => uid === one.uidOf(1))).toEqual([]);
  });

  it("an undumpable or stopped straggler is found too", async () => {
    const one = begin({ isolation, slots: 1 });
    const task = assignmentOf("(setsid sh -c 'kill -STOP $$' &); sleep 0.2");
    gateway.assign(task);
    await gateway.endOf(task.attempt);
    expect(await living(({ uid }) => uid === one.uidOf(1))).toEqual([]);
  });
});

describe.each(isolated.filter((isolation) => isolation === "namespaces"))("with isolation %s", (isolation) => {
  it("a task reaches no socket in /run and writes nowhere but in its own places", async () => {
    const one = begin({ isolation });
    const open = openDirectory(one, "open");
    const service = createServer();
    if (isRoot) await new Promise<void>((resolve) => service.listen(`/run/gridloom-test-${process.pid}`, resolve));
    const task = assignmentOf(
      `find /run/ /var/run/ -type s; find / -xdev -type d -writable 2>/dev/null | grep -Ev '^/(tmp|var/tmp|proc|run)(/|$)'; ` +
        `while read -r _ place type options _; do case $options in rw*) echo "$place"; esac; done </proc/self/mounts | ` +
        `grep -Ev '^/(tmp|var/tmp|proc|sys|dev|run)(/|$)'; touch '${open}/x' && echo WROTE; touch y "$TMPDIR/z" && echo fine`,
    );
    gateway.assign(task);
    await gateway.endOf(task.attempt);
    service.close();
    expect(gateway.textOf(task.attempt)).toBe("fine\n");
  });
});

describe("with the gateway", () => {
  it("goes on working while the gateway is away and reports later", async () => {
    const one = begin({ isolation: isRoot ? "accounts" : "none" });
    const marks = openDirectory(one, "marks");
    const task = assignmentOf(`sleep 0.5; touch '${marks}/done'; echo out > o; echo said`, {
      outputs: [{ name: "o", transient: false }],
    });
    gateway.assign(task);
    await gateway.until("it started", () => gateway.started.size === 1);
    await gateway.close();
    const patience = Date.now() + 10_000;
    while (!existsSync(join(marks, "done")) && Date.now() < patience) await delay(20);
    await delay(500);
    await gateway.listen();
    expect((await gateway.endOf(task.attempt)).outcome.is).toBe("succeeded");
    expect(gateway.textOf(task.attempt)).toBe("said\n");
    expect(gateway.hellos).toBe(2);
  });

  it("repeats an end until it is acknowledged, also after a restart", async () => {
    const one = begin({ isolation: isRoot ? "accounts" : "none" });
    gateway.acknowledging = false;
    const task = assignmentOf("exit 4");
    gateway.assign(task);
    await gateway.endOf(task.attempt);
    await one.end("SIGKILL");
    gateway.ended.clear();
    one.start();
    expect((await gateway.endOf(task.attempt)).outcome).toMatchObject({ exitCode: 4 });
    gateway.acknowledging = true;
    await gateway.until("it is forgotten", () => gateway.held.length === 0);
    expect(readdirSync(join(one.directory, "attempts"))).toEqual([]);
  });

  it("tells an outcome again whose spool a power failure took, and does not run it again", async () => {
    const one = begin({ isolation: isRoot ? "accounts" : "none" });
    const marks = openDirectory(one, "marks");
    gateway.acknowledging = false;
    const task = assignmentOf(`echo x >> '${marks}/ran'; exit 4`);
    gateway.assign(task);
    await gateway.endOf(task.attempt);
    await one.end("SIGKILL");
    rmSync(join(one.directory, "attempts", task.attempt), { recursive: true });
    gateway.ended.clear();
    one.start();
    expect((await gateway.endOf(task.attempt)).outcome).toMatchObject({ exitCode: 4 });
    gateway.acknowledging = true;
    await gateway.until("it is forgotten", () => gateway.held.length === 0);
    expect(readFileSync(join(marks, "ran"), "utf8")).toBe("x\n");
  });

  it("takes note of what is nothing to run, without a process or a file, and tells it once", async () => {
    const one = begin({ isolation: "none" });
    const tasks = Array.from({ length: 200 }, () => assignmentOf({ is: "no-op" }));
    gateway.assign(...tasks);
    for (const { attempt } of tasks) {
      expect((await gateway.endOf(attempt)).outcome).toEqual({ is: "succeeded", outputs: [] });
    }
    await gateway.until("they are forgotten", () => gateway.held.length === 0);
    expect(readdirSync(join(one.directory, "attempts"))).toEqual([]);
    expect(one.log).not.toContain("could not");
    await one.end("SIGKILL");
    one.start();
    await gateway.until("it is back", () => gateway.hellos === 2);
    expect(gateway.surplusEnds).toEqual([]);
  });

  it("an assignment that cannot be written down is not held, and taken once it can", async () => {
    const one = begin({ isolation: "none" });
    const first = assignmentOf("true");
    gateway.assign(first);
    await gateway.endOf(first.attempt);
    const attempts = join(one.directory, "attempts");
    const spare = `${attempts}-spare`;
    await gateway.until("it is forgotten", () => gateway.held.length === 0);
    for (const path of [attempts, spare]) renameSync(path, `${path}.away`);
    const task = assignmentOf("true");
    gateway.assign(task);
    await gateway.until("it says so", () => one.log.includes("could not be taken"));
    for (const path of [attempts, spare]) renameSync(`${path}.away`, path);
    expect((await gateway.endOf(task.attempt)).outcome.is).toBe("succeeded");
  });

  it("what its starter had open reaches no task", async () => {
    agent = new AgentUnderTest({ isolation: "none", gatewayUrl: gateway.url, token: stubToken });
    const secret = openSync(agent.configFile, "r");
    agent.start([secret]);
    closeSync(secret);
    const task = assignmentOf("ls /proc/self/fd");
    gateway.assign(task);
    await gateway.endOf(task.attempt);
    expect(gateway.textOf(task.attempt)).toBe("0\n1\n2\n3\n");
  });

  it("fetches a file once, also for tasks that want it at the same time", async () => {
    begin({ isolation: isRoot ? "accounts" : "none" });
    const input = { name: "big", ...gateway.addFile(Buffer.alloc(3_000_000, 7)), kept: false };
    const tasks = Array.from({ length: 6 }, () => assignmentOf("wc -c < big", { inputs: [input] }));
    gateway.assign(...tasks);
    for (const { attempt } of tasks) expect((await gateway.endOf(attempt)).outcome.is).toBe("succeeded");
    expect(gateway.requests.filter((request) => request.startsWith("GET"))).toHaveLength(1);
  });

  it("tries an upload again, and gives up with a sentence", async () => {
    begin({ isolation: isRoot ? "accounts" : "none" });
    let refusals = 2;
    gateway.onUpload = () => (refusals-- > 0 ? 500 : undefined);
    const task = assignmentOf("echo x > o", { outputs: [{ name: "o", transient: false }] });
    gateway.assign(task);
    expect((await gateway.endOf(task.attempt)).outcome.is).toBe("succeeded");
    gateway.onUpload = () => 413;
    const refused = assignmentOf("echo y > o", { outputs: [{ name: "o", transient: false }] });
    gateway.assign(refused);
    const { outcome } = await gateway.endOf(refused.attempt);
    expect(outcome).toMatchObject({ is: "failed", reason: "staging" });
  });

  it("streams long output in order while the task runs", async () => {
    begin({ isolation: isRoot ? "accounts" : "none" });
    const task = assignmentOf("seq 1 60000; sleep 3; echo last >&2");
    gateway.assign(task);
    await gateway.until("all numbers came", () => gateway.textOf(task.attempt).endsWith("\n60000\n"));
    expect(gateway.ended.has(task.attempt)).toBe(false);
    await gateway.endOf(task.attempt);
    expect(gateway.textOf(task.attempt).length).toBe(348_894);
    expect(gateway.textOf(task.attempt, "stderr")).toBe("last\n");
  });

  it("discards without reporting", async () => {
    const one = begin({ isolation: isRoot ? "accounts" : "none" });
    const task = assignmentOf("echo up; sleep 1003");
    gateway.assign(task);
    await gateway.until("it runs", () => gateway.textOf(task.attempt) === "up\n");
    gateway.discard(task.attempt);
    await gateway.until("it is gone", () => gateway.held.length === 0);
    expect(gateway.ended.size).toBe(0);
    expect(readdirSync(join(one.directory, "attempts"))).toEqual([]);
    expect(await living(({ command }) => command === "sleep 1003")).toEqual([]);
  });

  it("given up: forgets everything, deletes its identity and exits with 75", async () => {
    const one = new AgentUnderTest({ isolation: "none", gatewayUrl: gateway.url, token: stubToken });
    agent = one;
    gateway.refusing = true;
    const exit = new Promise((resolve) => one.start().once("exit", resolve));
    expect(await exit).toBe(75);
    expect(existsSync(join(one.directory, "identity.json"))).toBe(false);
    expect(existsSync(join(one.directory, "token"))).toBe(false);
  });

  it("survives a shim that is killed: the attempt is lost without blame, the slot works again", async () => {
    const one = begin({ isolation: isRoot ? "accounts" : "none", slots: 1 });
    const task = assignmentOf("echo up; sleep 1004");
    gateway.assign(task);
    await gateway.until("it runs", () => gateway.textOf(task.attempt) === "up\n");
    const placement = join(one.directory, "attempts", task.attempt, "placement.json");
    const { pid } = (JSON.parse(readFileSync(placement, "utf8")) as { shim: { pid: number } }).shim;
    process.kill(pid, "SIGKILL");
    expect((await gateway.endOf(task.attempt)).outcome).toEqual({ is: "lost", reason: "shim-vanished" });
    const next = assignmentOf("echo again");
    gateway.assign(next);
    expect((await gateway.endOf(next.attempt)).outcome.is).toBe("succeeded");
    expect(await living(({ command }) => command === "sleep 1004")).toEqual([]);
  });
});
