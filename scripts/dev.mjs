/**
 * `npm run dev`: the same portal with pages compiled as they are asked for, and parts restarted when their bundle
 * changes. A change of the supervisor itself restarts everything.
 */
import { fork } from "node:child_process";
import { basename, join } from "node:path";
import { bundleOptions, writeOutputs } from "./bundle.mjs";
import { say, script } from "./console.mjs";
import { root } from "./fingerprint.mjs";
import { ensureGenerated, ensureInstalled, loadEsbuild } from "./setup.mjs";

const parts = new Set(["engine", "gateway", "clusters", "web", "agent"]);
let portal;
let stopping = false;

await script(async () => {
  await ensureInstalled();
  await ensureGenerated();
  const esbuild = await loadEsbuild();
  await Promise.all(bundleOptions().map((options) => watch(esbuild, options)));
  startPortal();
});

/** Builds once before it returns, then again at each change. */
async function watch(esbuild, options) {
  const name = Object.keys(options.entryPoints)[0];
  let built;
  const first = new Promise((resolve) => {
    built = resolve;
  });
  const report = {
    name: "report",
    setup(build) {
      build.onEnd(async ({ errors, outputFiles }) => {
        if (errors.length > 0) {
          for (const line of await esbuild.formatMessages(errors, { kind: "error" })) say(line);
        } else if (writeOutputs(outputFiles ?? []).some((path) => basename(path) === `${name}.js`) && portal) {
          restart(name);
        }
        built();
      });
    },
  };
  const context = await esbuild.context({ ...options, plugins: [report] });
  await context.watch();
  await first;
}

function restart(name) {
  if (parts.has(name)) portal.send({ restart: name });
  else if (name === "main") portal.kill("SIGTERM");
}

function startPortal() {
  portal = fork(join(root, "dist", "main.js"), [], { env: { ...process.env, GRIDLOOM_DEVELOPMENT: "1" } });
  portal.on("exit", (code) => {
    // Ended by a change of its own program: code 0 without anybody asking us to stop.
    if (!stopping && code === 0) startPortal();
    else process.exit(code ?? 1);
  });
}

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    stopping = true;
    if (!portal) process.exit(0);
    // Ctrl-C reached the portal already; a second request does no harm.
    portal.kill("SIGTERM");
  });
}
