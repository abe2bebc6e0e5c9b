import { expect, it } from "vitest";
import { describeHost } from "./host-facts";

const host = { name: "h", os: "Linux 6.1.0-18", arch: "x64", cpus: 4, cpuModel: "Zen", memoryBytes: 8 * 1024 ** 3 };

it("speaks of a host as HTCondor does", () => {
  expect(describeHost(host)).toEqual({
    facts: { OpSys: "LINUX", OpSysVersion: "6.1.0-18", Arch: "X86_64", Cpus: 4, CpuModel: "Zen", Memory: 8192 },
    memoryBytes: 8 * 1024 ** 3,
    named: {},
  });
  expect(describeHost({ ...host, os: "Darwin 23", arch: "arm64" }).facts).toMatchObject({
    OpSys: "macOS",
    Arch: "aarch64",
  });
});

it("leaves names it does not know as they are", () => {
  const { facts } = describeHost({ ...host, os: "Plan9", arch: "riscv64" });
  expect(facts).toMatchObject({ OpSys: "Plan9", Arch: "riscv64" });
  expect(facts).not.toHaveProperty("OpSysVersion");
});

it("takes whole numbers among what a host tells for things that can be counted, and knows its disk", () => {
  const told = describeHost({ ...host, facts: { Gpus: 2, matlab: 5, Mips: 10.5, Disk: 100, Site: "north" } });
  expect(told.named).toMatchObject({ Gpus: 2, matlab: 5 });
  expect(told.named).not.toHaveProperty("Mips");
  expect(told.diskBytes).toBe(100 * 1024);
});
