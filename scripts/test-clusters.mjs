/**
 * The real clusters of the browser tests: bundles server/testbed's program for them into a temporary file and runs it. It prints
 * one line of JSON when they are up and ends them when standard input ends, so they never outlive the test that asked.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./fingerprint.mjs";

const directory = mkdtempSync(join(tmpdir(), "gridloom-test-clusters-"));
const program = join(directory, "clusters.mjs");
await build({
  entryPoints: [join(root, "server/testbed/clusters-for-browser-for-tests.ts")],
  outfile: program,
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  loader: { ".sh": "text" },
  logLevel: "error",
});
const clusters = spawn(process.execPath, [program], { stdio: "inherit", cwd: root });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => clusters.kill(signal));
clusters.on("exit", (code) => {
  rmSync(directory, { recursive: true, force: true });
  process.exit(code ?? 1);
});
