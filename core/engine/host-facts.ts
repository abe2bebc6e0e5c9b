/**
 * What an agent tells of its host, in the words of HTCondor, which requirements are written in: `OpSys == "LINUX"`,
 * `Arch == "X86_64"`, `Memory` in MB.
 */
import type { HostFacts } from "@/core/protocol/agent";
import type { JoiningAgent } from "./plan";

/** By the first word of what the system calls itself. */
const systems: Readonly<Record<string, string>> = {
  linux: "LINUX",
  darwin: "macOS",
  windows_nt: "WINDOWS",
  freebsd: "FREEBSD",
  sunos: "SOLARIS",
};

/** As Node and uname name them. */
const architectures: Readonly<Record<string, string>> = {
  x64: "X86_64",
  x86_64: "X86_64",
  ia32: "INTEL",
  i686: "INTEL",
  arm64: "aarch64",
};

export function describeHost(host: HostFacts): Pick<JoiningAgent, "facts" | "memoryBytes" | "diskBytes" | "named"> {
  const { os, arch, cpus, cpuModel, memoryBytes } = host;
  const [system = "", version] = os.split(" ");
  const facts = {
    ...host.facts,
    ...(host.machine !== undefined && { MachineId: host.machine }),
    OpSys: systems[system.toLowerCase()] ?? system,
    ...(version !== undefined && { OpSysVersion: version }),
    Arch: architectures[arch.toLowerCase()] ?? arch,
    Cpus: cpus,
    CpuModel: cpuModel,
    Memory: Math.floor(memoryBytes / 1024 ** 2),
  };
  // What is a whole number can be counted: GPUs, and whatever an administrator says there is.
  const counted = Object.entries(host.facts ?? {}).filter((entry): entry is [string, number] => {
    return typeof entry[1] === "number" && Number.isInteger(entry[1]);
  });
  const disk = host.facts?.Disk;
  return {
    facts,
    memoryBytes,
    named: Object.fromEntries(counted),
    ...(typeof disk === "number" && disk > 0 && { diskBytes: disk * 1024 }),
  };
}
