import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "@playwright/test";

// Browser tests drive the built portal as `npm start` runs it, with a fresh home of its own, in a real Chromium.
// The configuration is read by the runner and by each worker; the environment carries the choices from one to the other.
process.env.GRIDLOOM_E2E_PORT ??= String(20_000 + (process.pid % 20_000));
process.env.GRIDLOOM_E2E_HOME ??= mkdtempSync(join(tmpdir(), "gridloom-e2e-"));
const baseURL = `http://localhost:${process.env.GRIDLOOM_E2E_PORT}`;

export default defineConfig({
  testDir: "e2e",
  // One portal for all: `accounts.setup.ts` makes its administrator and two scientists before anything else runs.
  projects: [
    { name: "accounts", testMatch: "accounts.setup.ts" },
    { name: "portal", testMatch: "*.spec.ts", dependencies: ["accounts"] },
  ],
  workers: 1,
  fullyParallel: false,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: process.env.CI === "true",
  outputDir: "test-results",
  use: {
    baseURL,
    trace: "retain-on-failure",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.GRIDLOOM_CHROMIUM || "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  webServer: {
    command: "node scripts/start.mjs",
    url: `${baseURL}/api/health`,
    timeout: 300_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: "SIGTERM", timeout: 10_000 },
    stdout: "pipe",
    env: {
      PORT: process.env.GRIDLOOM_E2E_PORT,
      GRIDLOOM_HOME: process.env.GRIDLOOM_E2E_HOME,
      GRIDLOOM_MAX_UPLOAD_MB: "2",
    },
  },
});
