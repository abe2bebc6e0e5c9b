/**
 * What the tests need from the operating system. As root on Debian it is installed; anywhere else the missing
 * parts are named with the command that brings them.
 */
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";

const chromiumPlaces = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

export function findChromium() {
  const named = process.env.GRIDLOOM_CHROMIUM;
  if (named && existsSync(named)) return named;
  return chromiumPlaces.find((place) => existsSync(place));
}

/** What is needed, how to see that it is there, and Debian's packages that bring it. */
const needs = [
  { name: "Chromium", isThere: () => findChromium() !== undefined, packages: ["chromium", "fonts-dejavu-core"] },
  {
    name: "the SSH test hosts' programs",
    isThere: () => allExist("/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/socat", "/usr/bin/curl") && hasIp(),
    packages: ["openssh-server", "openssh-client", "socat", "curl", "iproute2", "procps", "util-linux"],
  },
  {
    name: "what agents are started with on foreign hosts",
    isThere: () => allExist("/usr/bin/dash", "/usr/bin/wget", "/usr/bin/openssl", "/usr/bin/curl"),
    packages: ["dash", "wget", "openssl", "curl"],
  },
  {
    name: "FASTLINK",
    isThere: () => allExist("/usr/bin/unknown", "/usr/bin/linkmap"),
    packages: ["fastlink"],
  },
  {
    name: "Slurm",
    isThere: () => allExist("/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/bin/sbatch", "/usr/sbin/munged"),
    packages: ["slurm-wlm", "munge"],
  },
  {
    name: "Grid Engine",
    isThere: () =>
      ["sge_qmaster", "sge_execd", "qsub"].every((program) => existsSync(`/usr/lib/gridengine/${program}`)),
    packages: ["gridengine-master", "gridengine-exec", "gridengine-client"],
  },
];

/** Returns the names of what is still missing afterwards. */
export function ensureSystemPackages() {
  const wanted = needs.filter((need) => !need.isThere());
  if (wanted.length === 0) return [];
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log(`installing ${wanted.map(({ name }) => name).join(", ")}…`);
    withoutServices(() => {
      if (apt("update")) apt("install", "--no-install-recommends", ...wanted.flatMap(({ packages }) => packages));
    });
  }
  const missing = wanted.filter((need) => !need.isThere());
  for (const { name, packages } of missing) {
    const elsewhere = name === "Chromium" ? " Elsewhere set GRIDLOOM_CHROMIUM to its path." : "";
    console.error(`Missing: ${name}. On Debian: apt-get install ${packages.join(" ")}.${elsewhere}`);
  }
  return missing.map(({ name }) => name);
}

function apt(...args) {
  const options = ["-o", "DPkg::Lock::Timeout=300", "-q", "-y"];
  const { status } = spawnSync("apt-get", [...options, ...args], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return status === 0;
}

/** The packages bring servers that would start by themselves; Debian asks this file first. */
function withoutServices(action) {
  const policy = "/usr/sbin/policy-rc.d";
  if (existsSync(policy)) return action();
  writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    action();
  } finally {
    rmSync(policy, { force: true });
  }
}

function allExist(...paths) {
  return paths.every((path) => existsSync(path));
}

function hasIp() {
  return ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].some((path) => existsSync(path));
}
