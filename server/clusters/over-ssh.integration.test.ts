/** Commands and tunnels over real SSH connections to hosts of our own. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "@/server/free-port";
import { until } from "@/server/testbed/box-for-tests";
import { SshHost } from "@/server/testbed/ssh-hosts-for-tests";
import { ClusterProblem } from "./cluster-problem";
import type { RanCommand } from "./command-runner";
import { removeAbandoned } from "./connection-directory";
import { fetchHostKey } from "./host-key";
import { type SshRunner, sshRunner } from "./over-ssh";

const quick = { timeoutMs: 20_000, purpose: "test" };

let host: SshHost;
let runner: SshRunner;
let directory: string;
const ran: RanCommand[] = [];

beforeAll(async () => {
  host = await SshHost.start({ hostName: "plain" });
  directory = mkdtempSync(join(tmpdir(), "gl-t-"));
  runner = sshRunner(host.target, { recorders: [(command) => ran.push(command)], directory });
});

afterAll(async () => {
  await runner?.close();
  await host?.stop();
  if (directory) {
    expect(readdirSync(directory)).toEqual([]);
    rmSync(directory, { recursive: true });
  }
});

async function problemOf(action: Promise<unknown>): Promise<ClusterProblem> {
  const error: unknown = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ClusterProblem);
  if (error instanceof ClusterProblem) return error;
  throw new Error("not a ClusterProblem");
}

describe("commands", () => {
  test("run on the host, with input, output and exit code", async () => {
    const result = await runner.run(["sh", "-c", "hostname; cat; echo oops >&2; exit 7"], { ...quick, stdin: "in\n" });
    expect(result).toMatchObject({ exitCode: 7, stdout: "plain\nin\n", stderr: "oops\n" });
  });

  test("get every word as it was given", async () => {
    const words = ["a b", "", "'", '"', "$HOME", "`id`", "*", "~", "a\nb", "\\", "-n", "=ls", "$(reboot)", ";", "ü"];
    const result = await runner.run(["sh", "-c", 'printf "<%s>" "$@"', "sh", ...words], quick);
    expect(result.stdout).toBe(words.map((word) => `<${word}>`).join(""));
  });

  test("may end with 255, which is not a lost connection", async () => {
    expect((await runner.run(["sh", "-c", "exit 255"], quick)).exitCode).toBe(255);
  });

  test("are not mixed up with what start-up files print", async () => {
    await runner.run(["sh", "-c", "echo 'echo welcome; echo trouble >&2' > .bashrc"], quick);
    expect((await runner.run(["echo", "answer"], quick)).stdout).toBe("answer\n");
    await runner.run(["rm", ".bashrc"], quick);
  });

  test("carry a megabyte in and out unchanged", async () => {
    const text = "0123456789abcdef".repeat(65_536);
    expect((await runner.run(["cat"], { ...quick, stdin: text })).stdout).toBe(text);
  });

  test("share one connection", async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, () => runner.run(["sh", "-c", "echo $SSH_CONNECTION"], quick)),
    );
    expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(1);
    expect(ran.filter(({ purpose }) => purpose === "connect")).toHaveLength(1);
  });

  test("that do not end are killed, on the host too", async () => {
    const stuck = runner.run(["sleep", "4242"], { timeoutMs: 1_000, purpose: "test" });
    expect(await problemOf(stuck)).toMatchObject({ code: "timed-out" });
    await until("the end of the command on the host", async () => {
      return (await runner.run(["pgrep", "-fx", "sleep 4242"], quick)).exitCode === 1;
    });
  });

  test("are recorded with what they were for", () => {
    const command = ["sh", "-c", "exit 255"];
    expect(ran).toContainEqual(expect.objectContaining({ command, exitCode: 255, purpose: "test" }));
  });

  test("the key is on disk only while connecting, the directory is private", async () => {
    const [own = ""] = readdirSync(directory);
    expect(statSync(join(directory, own)).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(directory, own)).sort()).toEqual(["known_hosts", "socket"]);
  });
});

test("a connection whose socket was tidied away is opened again", async () => {
  const place = mkdtempSync(join(tmpdir(), "gl-t-"));
  const other = sshRunner(host.target, { directory: place });
  try {
    const first = (await other.run(["sh", "-c", "echo $SSH_CONNECTION"], quick)).stdout;
    for (const name of readdirSync(place)) rmSync(join(place, name), { recursive: true });
    const second = (await other.run(["sh", "-c", "echo $SSH_CONNECTION"], quick)).stdout;
    expect(second).not.toBe(first);
  } finally {
    await other.close();
    rmSync(place, { recursive: true });
  }
});

test("what a killed process left behind is removed, what a living one uses is not", () => {
  const place = mkdtempSync(join(tmpdir(), "gl-t-"));
  const { pid: dead } = spawnSync("true");
  for (const pid of [dead, process.pid]) mkdirSync(join(place, `gl-ssh-${pid}-abc`));
  mkdirSync(join(place, "somebody-else"));
  removeAbandoned(place);
  expect(readdirSync(place).sort()).toEqual([`gl-ssh-${process.pid}-abc`, "somebody-else"]);
  rmSync(place, { recursive: true });
});

describe("tunnels", () => {
  test("let the host reach a port of the portal's machine, and the portal one of the host's", async () => {
    const server = createServer((_, response) => response.end("from the portal"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const to = { host: "127.0.0.1", port: typeof address === "object" && address ? address.port : 0 };
    const outward = await runner.openTunnel({ direction: "from-cluster", listen: { port: 0 }, to });
    const fetchThere = ["curl", "-s", "--max-time", "10", `http://127.0.0.1:${outward.port}/`];
    expect((await runner.run(fetchThere, quick)).stdout).toBe("from the portal");
    const inward = await runner.openTunnel({ direction: "to-cluster", listen: { port: 0 }, to });
    expect(await (await fetch(`http://127.0.0.1:${inward.port}/`)).text()).toBe("from the portal");
    await outward.close();
    expect((await runner.run(fetchThere, quick)).exitCode).not.toBe(0);
    await inward.close();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("connections that fail say why", () => {
  async function failing(change: Partial<SshHost["target"]>): Promise<ClusterProblem> {
    const other = sshRunner({ ...host.target, connectSeconds: 5, ...change });
    try {
      return await problemOf(other.run(["true"], quick));
    } finally {
      await other.close();
    }
  }

  test("nothing listens", async () => {
    expect(await failing({ port: await freePort() })).toMatchObject({ code: "unreachable" });
  });

  test("unknown name", async () => {
    expect(await failing({ host: "no-such-host.invalid" })).toMatchObject({ code: "unreachable" });
  });

  test("a key that is not accepted", async () => {
    const stranger = await SshHost.start();
    try {
      const problem = await failing({ privateKey: stranger.privateKey });
      expect(problem.code).toBe("not-authorised");
      expect(problem.sentence).toContain("authorized_keys");
      expect(await failing({ privateKey: "no key at all" })).toMatchObject({ code: "not-authorised" });
    } finally {
      await stranger.stop();
    }
  });

  test("another host key than the pinned one", async () => {
    const shown = await fetchHostKey({ host: "127.0.0.1", port: host.port });
    expect(shown).toEqual(host.hostKey);
    const stranger = await SshHost.start();
    try {
      expect(await failing({ hostKey: stranger.hostKey.key })).toMatchObject({ code: "host-key" });
    } finally {
      await stranger.stop();
    }
  });

  test("names that would be options never reach ssh", () => {
    expect(() => sshRunner({ ...host.target, host: "-oProxyCommand=id" })).toThrow(ClusterProblem);
    expect(() => sshRunner({ ...host.target, login: "-x" })).toThrow(ClusterProblem);
  });
});

describe("a host with a link of its own", () => {
  test("is silent while the link is cut, lost when it dies, and connected to again when it is back", async () => {
    const far = await SshHost.start({ network: { link: { delayMs: 20 } } });
    const other = sshRunner(far.target);
    try {
      let lost = 0;
      other.onLost(() => lost++);
      expect((await other.run(["hostname"], quick)).stdout.trim()).toBe(far.hostName);
      far.link?.cut();
      expect(await problemOf(other.run(["true"], { timeoutMs: 1_500, purpose: "test" }))).toMatchObject({
        code: "timed-out",
      });
      far.link?.restore();
      expect((await other.run(["true"], quick)).exitCode).toBe(0);
      expect(lost).toBe(0);
      await far.kill();
      await until("the loss", () => lost === 1);
      expect(await problemOf(other.run(["true"], quick))).toMatchObject({ code: "unreachable" });
    } finally {
      await other.close();
      await far.stop();
    }
    expect(existsSync(far.directory)).toBe(false);
  });
});
