/**
 * What the tests need from the operating system. As root on Debian it is installed; anywhere else the missing
 * parts are named with the command that brings them.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

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

/** Returns the names of what is still missing afterwards. */
export function ensureSystemPackages() {
  if (findChromium()) return [];
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log("installing Chromium…");
    const apt = (...args) =>
      spawnSync("apt-get", ["-o", "DPkg::Lock::Timeout=300", "-q", "-y", ...args], {
        stdio: ["ignore", "ignore", "inherit"],
        env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      }).status === 0;
    if (apt("update")) apt("install", "--no-install-recommends", "chromium", "fonts-dejavu-core");
  }
  if (findChromium()) return [];
  console.error(
    "Chromium is missing. On Debian: apt-get install chromium. Elsewhere set GRIDLOOM_CHROMIUM to its path.",
  );
  return ["Chromium"];
}
