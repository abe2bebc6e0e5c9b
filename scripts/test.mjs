/**
 * `npm test`: installs what it needs, then lint, types, unit, integration and browser tests, one after the other,
 * and ends with `N passed, N failed` alone on a line, counting all of them.
 *
 *   npm test                    everything
 *   npm test -- unit browser    only these steps
 *   npm run test:full           also the long sweeps (`*.full.test.ts`)
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBundles, ensureGenerated, ensureInstalled, ensureWebBuilt, root } from "./setup.mjs";
import { ensureSystemPackages, findChromium } from "./system-packages.mjs";

const argv = process.argv.slice(2);
const full = argv.includes("--full");
const chosen = argv.filter((word) => !word.startsWith("--"));
const reports = mkdtempSync(join(tmpdir(), "gridloom-test-"));
// The browser tests' portal keeps its state in here, and started by root its accounts must get through.
chmodSync(reports, 0o711);
const totals = { passed: 0, failed: 0 };

await ensureInstalled();
await ensureGenerated();
const missing = ensureSystemPackages();

const bin = (name) => join(root, "node_modules", ".bin", name);

await step("lint", async () => {
  countCommand("biome", bin("biome"), ["check", "--error-on-warnings", "."]);
  const rooms = ["app", "components", "core", "server", "agent", "cli", "bench", "e2e"].filter((room) =>
    existsSync(join(root, room)),
  );
  countCommand("dependency rule", bin("depcruise"), ["--config", ".dependency-cruiser.cjs", ...rooms]);
});
await step("types", async () => {
  await ensureBundles();
  countCommand("next types", bin("next"), ["typegen"]);
  countCommand("tsc", bin("tsc"), ["--noEmit"]);
});
await step("unit", async () => vitest("unit"));
await step("integration", async () => {
  await ensureBundles();
  await ensureWebBuilt();
  vitest("integration");
});
await step("browser", async () => {
  if (missing.includes("Chromium")) {
    console.error("Browser tests did not run: Chromium is missing.");
    if (process.env.CI === "true") totals.failed += 1;
    return;
  }
  await ensureBundles();
  await ensureWebBuilt();
  playwright();
});
if (full) {
  await step("sweeps", async () => {
    await ensureBundles();
    await ensureWebBuilt();
    vitest("full");
  });
}

rmSync(reports, { recursive: true, force: true });
console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed === 0 && totals.passed > 0 ? 0 : 1);

async function step(name, work) {
  if (chosen.length > 0 && !chosen.includes(name)) return;
  console.log(`\n== ${name}`);
  const started = Date.now();
  try {
    await work();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    totals.failed += 1;
  }
  console.log(`   ${name}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

function run(command, args, env = {}) {
  return spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
}

function countCommand(label, command, args) {
  const ok = run(command, args).status === 0;
  console.log(`   ${label}: ${ok ? "passed" : "FAILED"}`);
  totals[ok ? "passed" : "failed"] += 1;
}

function vitest(project) {
  const report = join(reports, `${project}.json`);
  const result = run(bin("vitest"), [
    "run",
    "--project",
    project,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ]);
  if (!existsSync(report)) throw new Error(`The ${project} tests ended without a report.`);
  const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests, numTodoTests } = JSON.parse(
    readFileSync(report, "utf8"),
  );
  totals.passed += numPassedTests;
  // A suite that fails to load has no failed test of its own; a skipped test is a defect here.
  const broken = numFailedTests > 0 ? numFailedTests : numFailedTestSuites;
  totals.failed += broken + numPendingTests + numTodoTests;
  if (result.status !== 0 && broken === 0) totals.failed += 1;
}

function playwright() {
  const report = join(reports, "browser.json");
  const result = run(bin("playwright"), ["test", "--reporter=list,json"], {
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
    GRIDLOOM_E2E_HOME: join(reports, "home"),
    GRIDLOOM_CHROMIUM: findChromium() ?? "",
  });
  if (!existsSync(report)) throw new Error("The browser tests ended without a report.");
  const { stats } = JSON.parse(readFileSync(report, "utf8"));
  totals.passed += stats.expected;
  totals.failed += stats.unexpected + stats.flaky + stats.skipped;
  if (result.status !== 0 && stats.unexpected === 0) totals.failed += 1;
}
