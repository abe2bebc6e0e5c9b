import { expect, test } from "vitest";
import type { Facts } from "@/core/engine/live-ad";
import type { GatewayToEngine } from "@/core/engine/messages";
import { ClusterHosts } from "./cluster-hosts";

const agent = "a0000000-0000-4000-8000-000000000001";

function joined(name: string): GatewayToEngine {
  const usual = { os: "Linux 6.1", arch: "x64", cpus: 8, cpuModel: "", memoryBytes: 2 ** 33 };
  return {
    is: "agent-joined",
    agent,
    cluster: "hpc",
    host: { name, ...usual, facts: { KFlops: 5 } },
    slots: 2,
    held: [],
  };
}

function row(name: string, facts: unknown, reading: unknown = null) {
  return { cluster: "hpc", name, facts, reading, at: 1 };
}

function listening() {
  const told: Facts[] = [];
  return { hosts: new ClusterHosts((_, facts) => void told.push(facts)), told };
}

test("what the cluster says of a host is told for the agent on it, by the short name too", () => {
  const { hosts, told } = listening();
  hosts.take([row("n1", { HasScratch: true }, { FreeCpus: 3 }), row("n2", { HasScratch: false })]);
  hosts.hear(joined("n1.cluster.example.org"));
  expect(told).toEqual([{ HasScratch: true, FreeCpus: 3 }]);
});

test("what the agent says itself counts more", () => {
  const { hosts, told } = listening();
  hosts.hear(joined("n1"));
  hosts.hear({ is: "host-readings", agent, facts: { LoadAvg: 0.1 } });
  hosts.take([row("n1", { Memory: 1, kflops: 9, Rack: "r7" }, { LoadAvg: 4 })]);
  expect(told).toEqual([{ Rack: "r7" }]);
});

test("told again only when it changed, and not to agents that left", () => {
  const { hosts, told } = listening();
  hosts.hear(joined("n1"));
  hosts.take([row("n1", { Rack: "r7" })]);
  hosts.take([row("n1", { Rack: "r7" })]);
  hosts.take([row("n1", { Rack: "r8" })]);
  hosts.hear({ is: "agent-left", agent });
  hosts.take([row("n1", { Rack: "r9" })]);
  expect(told).toEqual([{ Rack: "r7" }, { Rack: "r8" }]);
});

test("facts that are none are as if they were not there", () => {
  const { hosts, told } = listening();
  hosts.hear(joined("n1"));
  hosts.take([row("n1", { "not a name": 1 }, "text")]);
  expect(told).toEqual([]);
});
