/**
 * `gridloom run FILE [--out DIR] [--inputs DIR] [--json] [--policies FILE.json] …`: a whole workflow from the command line,
 * without a browser. If something is left to do, OUT gets a rescue DAG, which does the rest:
 * `gridloom run OUT/NAME.rescue.dag --inputs DIR`, with DIR where the inputs of FILE are.
 *
 *   read and check → find the inputs → an engine (the running portal's, or one of our own) → submit → watch →
 *   copy the results → say what failed
 *
 * Exit code 0: every task succeeded. 1: something failed, or the workflow has errors. 2: wrong usage.
 * Ctrl-C kills the run, cleans up and exits with 130.
 */
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { RunId } from "@/core/engine/ids";
import type { RunState } from "@/core/engine/task-state";
import { formatProblem, hasErrors } from "@/core/problem";
import { checkWorkflow } from "@/core/workflow/check";
import { runProblems } from "@/core/workflow/run-check";
import { rescueDag } from "@/server/api/rescue";
import type { RunSettings } from "@/server/engine/run-settings";
import { FileStore } from "@/server/files/store";
import { openPool, type Pool } from "@/server/journal/pool";
import { createRun, type NewRun } from "@/server/journal/queries/create-run";
import { requestCommand } from "@/server/journal/queries/request-command";
import { describeStartError } from "@/server/start-problem";
import { type FoundInput, findInputs, storeInputs } from "./embedded/inputs";
import { openPortal, type Portal } from "./embedded/portal";
import { copyOutputs, type Failures, failuresOf } from "./embedded/results";
import { readSettings, type SettingsFlags, settingsFlags } from "./embedded/settings";
import { watchRun } from "./embedded/watch";
import { filesBeside } from "./files-beside";
import type { CommandIo } from "./io";
import { describeProgress, describeTime, ProgressView } from "./progress";
import { readText } from "./read-text";

const usage = `Usage: npm run -s gridloom -- run FILE [--out DIR] [--inputs DIR] [--json]
         [--policies FILE.json] [--priority N] [--retries N] [--cluster ALGORITHM] [--granularity N]
`;

interface Submission {
  run: Omit<NewRun, "inputs"> & { id: RunId };
  inputs: FoundInput[];
}

export async function runRun(argv: readonly string[], io: CommandIo): Promise<number> {
  const asked = readArguments(argv);
  if (!asked) {
    io.stderr(usage);
    return 2;
  }
  const read = await readSettings(asked.flags, io.readFile);
  if (!read.ok) {
    io.stderr(`${read.sentence}\n`);
    return 2;
  }
  try {
    const submission = await prepare(asked, read.settings, io);
    return submission ? await carryOut(submission, asked, io) : 1;
  } catch (error) {
    io.stderr(`${describeStartError(error)}\n`);
    return 1;
  }
}

interface Asked {
  file: string;
  out: string;
  /** Directories besides the file's own in which inputs are looked for. */
  inputs: string[];
  json: boolean;
  flags: SettingsFlags;
}

function readArguments(argv: readonly string[]): Asked | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        out: { type: "string" },
        inputs: { type: "string", multiple: true, default: [] },
        json: { type: "boolean", default: false },
        ...settingsFlags,
      },
    });
    const [file] = positionals;
    if (!file || positionals.length > 1) return undefined;
    const { out = `./${nameOf(file)}-out`, inputs, json, ...flags } = values;
    return { file, out, inputs, json, flags };
  } catch {
    return undefined;
  }
}

function nameOf(file: string): string {
  return basename(file, extname(file));
}

/** Undefined: the workflow cannot be run, and the reasons were said. */
async function prepare(
  { file, inputs: directories }: Asked,
  settings: RunSettings,
  io: CommandIo,
): Promise<Submission | undefined> {
  const source = await readText(file, io);
  if (source === undefined) return undefined;
  const beside = await filesBeside(source, file, io.readFile);
  const first = checkWorkflow(source, basename(file), undefined, beside);
  const inputs = await findInputs(first.workflow?.externalInputs ?? [], [dirname(resolve(file)), ...directories]);
  const provided = new Set(inputs.map(({ name }) => name));
  const { format, application, workflow, ...checked } = checkWorkflow(source, basename(file), provided, beside);
  const problems = [...checked.problems, ...runProblems(application)];
  for (const problem of problems) io.stderr(`${formatProblem(problem, file)}\n`);
  if (!workflow || hasErrors(problems)) return undefined;
  const run: Submission["run"] = {
    id: randomUUID(),
    owner: `cli:${userInfo().username}`,
    ownerAdmin: true,
    name: nameOf(file),
    format,
    source,
    application,
    graph: workflow,
    settings,
  };
  return { run, inputs };
}

async function carryOut({ run, inputs }: Submission, asked: Asked, io: CommandIo): Promise<number> {
  const view = new ProgressView(io);
  const interruption = new Interruption();
  let portal: Portal | undefined;
  let pool: Pool | undefined;
  try {
    const startedAt = performance.now();
    const elapsedMs = () => performance.now() - startedAt;
    let submitted = false;
    let state: RunState | undefined;
    while (state === undefined) {
      portal = await openPortal((line) => view.say(line), interruption.beforeSubmission);
      pool = openPool(portal.databaseUrl, 4);
      const current = pool;
      if (!submitted) {
        const stored = await storeInputs(new FileStore(portal.home.files), inputs);
        interruption.beforeSubmission.throwIfAborted();
        await createRun(current, { ...run, inputs: stored });
        submitted = true;
      }
      const kill = () => requestCommand(current, { run: run.id, kind: "kill", requestedBy: run.owner });
      await interruption.onInterrupt(async () => {
        view.say("Killing the run…");
        await kill();
      });
      try {
        state = await watchRun(current, run.id, {
          onProgress: ({ counts }) => view.show({ name: run.name, counts, elapsedMs: elapsedMs() }),
          onWaiting: (sentence) => view.say(`Nothing runs. ${sentence}`),
        });
      } catch (error) {
        if (!isConnectionLoss(error)) throw error;
        view.say("The portal that carried the run went away; going on without it.");
        await pool.end().catch(() => {});
        await portal.close();
      }
    }
    view.clear();
    if (!pool || !portal) return 1;
    const store = new FileStore(portal.home.files);
    const files = await copyOutputs(pool, store, run.id, asked.out);
    const failures = await failuresOf(pool, portal.home, run.id);
    const rescue = state === "succeeded" ? undefined : await writeRescue(pool, run, asked.out);
    const counts = (await pool.query<{ counts: number[] }>("SELECT counts FROM engine.run WHERE id = $1", [run.id]))
      .rows[0]?.counts;
    tell(io, asked, {
      id: run.id,
      name: run.name,
      state,
      counts: counts ?? [],
      files,
      failures,
      rescue,
      elapsedMs: elapsedMs(),
    });
    return interruption.exitCode ?? (state === "succeeded" ? 0 : 1);
  } catch (error) {
    view.clear();
    if (interruption.exitCode !== undefined) return interruption.exitCode;
    throw error;
  } finally {
    await pool?.end().catch(() => {});
    await portal?.close();
    interruption.dispose();
  }
}

interface Ending {
  id: RunId;
  name: string;
  state: RunState;
  counts: number[];
  files: string[];
  failures: Failures;
  /** Where the rescue DAG is, if the run did not get through. */
  rescue: string | undefined;
  elapsedMs: number;
}

async function writeRescue(pool: Pool, { id, name }: Submission["run"], out: string): Promise<string | undefined> {
  const dag = await rescueDag(pool, id);
  if (dag === undefined) return undefined;
  const path = join(out, `${name}.rescue.dag`);
  await writeFile(path, dag);
  return path;
}

function tell(io: CommandIo, { out, json }: Asked, ending: Ending): void {
  const { failures, files, state, counts } = ending;
  for (const { task, reason, attempts, stderr } of failures.told) {
    io.stderr(`task ${task} failed${attempts > 1 ? ` after ${attempts} attempts` : ""}: ${reason}\n`);
    if (stderr !== "") io.stderr(`${stderr.replace(/^/gm, "    ")}\n`);
  }
  if (failures.more > 0) io.stderr(`… and ${failures.more} more failed tasks.\n`);
  if (json) {
    const { id, name, elapsedMs, rescue } = ending;
    const seconds = elapsedMs / 1000;
    const summary = { run: id, name, state, counts, files, out, rescue, seconds, failures: failures.told };
    io.stdout(`${JSON.stringify(summary)}\n`);
    return;
  }
  const words = { succeeded: "succeeded", failed: "failed", killed: "was killed", queued: "waits", running: "runs" };
  io.stderr(`${ending.name} ${words[state]}: ${describeProgress({ counts })}, in ${describeTime(ending.elapsedMs)}.\n`);
  io.stderr(`${files.length} file${files.length === 1 ? "" : "s"} in ${out}\n`);
  if (ending.rescue) io.stderr(`What is left of it can be run with ${ending.rescue}\n`);
}

/** Ctrl-C: before the run is submitted it ends us; after that it kills the run, and we wait for its end as usual. */
class Interruption {
  exitCode: number | undefined;
  private readonly abort = new AbortController();
  private kill: (() => Promise<unknown>) | undefined;
  private readonly onInt = () => this.interrupt(130);
  private readonly onTerm = () => this.interrupt(143);

  constructor() {
    process.on("SIGINT", this.onInt);
    process.on("SIGTERM", this.onTerm);
  }

  get beforeSubmission(): AbortSignal {
    return this.abort.signal;
  }

  async onInterrupt(kill: () => Promise<unknown>): Promise<void> {
    this.kill = kill;
    if (this.exitCode !== undefined) await kill();
  }

  dispose(): void {
    process.off("SIGINT", this.onInt);
    process.off("SIGTERM", this.onTerm);
  }

  private interrupt(exitCode: number): void {
    // A second one does not wait for the engine any more; our own parts end with us.
    if (this.exitCode !== undefined) process.exit(exitCode);
    this.exitCode = exitCode;
    if (this.kill) this.kill().catch(() => {});
    else this.abort.abort();
  }
}

/** PostgreSQL's class 57P (shutting down) and 08 (connection), and what the network says. */
function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    /^(57P|08|ECONN|EPIPE)/.test(code) ||
    /Connection terminated|Client has encountered a connection error/.test(error.message)
  );
}
