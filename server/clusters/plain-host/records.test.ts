/** What is made of a plain host's records. */
import { expect, test } from "vitest";
import { smallJob } from "../jobs-for-tests";
import { parseAgents, parseHost } from "./records";

const { agent } = smallJob("");

function told(
  pid: string,
  began: string,
  boot: string,
  code: string,
  alive: string,
  state: string,
  cancelled = "-",
  age = "5",
) {
  return parseAgents(
    `now 1000 this-boot host1\nagent ${agent} ${pid} ${began} ${boot} ${code} - ${alive} ${state} ${cancelled} ${age}\n`,
  )[0];
}

test("each kind of record is a state", () => {
  expect(told("9", "70", "this-boot", "-", "70", "S")).toMatchObject({
    job: agent,
    agent,
    state: "running",
    host: "host1",
  });
  expect(told("9", "70", "this-boot", "-", "70", "T")?.state).toBe("suspended");
  expect(told("9", "70", "this-boot", "0", "-", "-")).toMatchObject({ state: "completed", exitCode: 0 });
  expect(told("9", "70", "this-boot", "7", "-", "-")).toMatchObject({ state: "failed", exitCode: 7 });
  expect(told("9", "70", "this-boot", "143", "-", "-")).toMatchObject({ state: "cancelled-by-owner", signal: 15 });
  expect(told("9", "70", "this-boot", "139", "-", "-")).toMatchObject({ state: "failed", signal: 11 });
  expect(told("9", "70", "this-boot", "143", "-", "-", "yes")?.state).toBe("cancelled");
  // Another process has its number now.
  expect(told("9", "70", "this-boot", "-", "95", "S")?.state).toBe("failed");
  expect(told("9", "70", "old-boot", "-", "70", "S")?.state).toBe("node-lost");
  expect(told("-", "-", "-", "-", "-", "-")?.state).toBe("queued");
  expect(told("-", "-", "-", "-", "-", "-", "-", "900")?.state).toBe("failed");
});

test("names that are no agents are passed over", () => {
  expect(parseAgents("now 1 b h\nagent lost+found - - - - - - - - 1\n")).toEqual([]);
  expect(parseAgents("")).toEqual([]);
});

test("a host is told by name, cores, memory and load", () => {
  const text =
    "name h1\nsystem Linux 6.1.0\nmachine x86_64\ncpus 8\nmodel AMD EPYC\nMemTotal 1000\nMemFree 100\nMemAvailable 500\nload 2.4\n";
  const read = parseHost(text);
  expect(read?.host).toMatchObject({
    name: "h1",
    cpus: 8,
    memoryBytes: 1_024_000,
    attributes: { OpSys: "LINUX", Arch: "X86_64", CpuModel: "AMD EPYC" },
  });
  expect(read?.reading).toMatchObject({ up: true, load: 2.4, freeCpus: 6, freeMemoryBytes: 512_000 });
  expect(parseHost("nothing")).toBeUndefined();
});
