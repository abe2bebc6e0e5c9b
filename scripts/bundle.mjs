/**
 * The programs of `dist/`, one file each, made by esbuild. Server parts leave packages in node_modules; the agent takes
 * everything with it, because it runs where no node_modules are.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./fingerprint.mjs";

const entries = {
  main: "server/main.ts",
  engine: "server/engine/main.ts",
  gateway: "server/gateway/main.ts",
  clusters: "server/clusters/main.ts",
  web: "server/web/main.ts",
  agent: "agent/main.ts",
  cli: "cli/main.ts",
  bench: "bench/main.ts",
};

/** Options for esbuild, for each program whose source exists. Nothing is written: see {@link writeOutputs}. */
export function bundleOptions() {
  return Object.entries(entries)
    .filter(([, source]) => existsSync(join(root, source)))
    .map(([name, source]) => ({
      entryPoints: { [name]: join(root, source) },
      outdir: join(root, "dist"),
      absWorkingDir: root,
      bundle: true,
      write: false,
      platform: "node",
      format: "esm",
      // An agent also starts with the Node a cluster's host happens to have.
      target: name === "agent" ? "node18" : "node20",
      sourcemap: true,
      loader: { ".sh": "text" },
      logLevel: "silent",
      ...(name === "agent" ? {} : { packages: "external" }),
    }));
}

/** Writes what changed, each file whole: a part that restarts this instant must not read half a program. */
export function writeOutputs(outputFiles) {
  const changed = [];
  for (const { path, contents } of outputFiles) {
    if (existsSync(path) && Buffer.compare(readFileSync(path), contents) === 0) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, contents);
    renameSync(`${path}.new`, path);
    changed.push(path);
  }
  return changed;
}
