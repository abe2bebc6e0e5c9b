/** One task as its panel shows it: what it is, what was tried, how it went, what it printed last. */
import type { RunId } from "@/core/engine/ids";
import { describePlacement } from "@/core/engine/reasons";
import type { SessionUser } from "@/server/auth/session";
import { adaptationOfTask } from "@/server/journal/queries/adaptation-of-task";
import { type AttemptRow, attemptsOfTask } from "@/server/journal/queries/attempts-of-task";
import { lookupInputs } from "@/server/journal/queries/lookup-inputs";
import { requestTaskCommand } from "@/server/journal/queries/request-command";
import { recordAudit } from "@/server/portal-db/audit";
import type { Backend } from "./backend";
import { readTail } from "./output-views";
import { stateOfTask } from "./queries/state-of-task";
import { ownRun } from "./run-views";
import { notFound } from "./trpc";
import type { AttemptView, TaskDetail, TaskFile } from "./views";
import { wordAttempt } from "./wording";

export async function ownTask(backend: Backend, user: SessionUser, run: RunId, index: number): Promise<TaskDetail> {
  const { taskCount } = await ownRun(backend, user, run);
  if (index >= taskCount) throw notFound("task");
  const [workflow, state, attempts, adaptation] = await Promise.all([
    backend.workflows.of(run, taskCount),
    stateOfTask(backend.pool, run, index),
    attemptsOfTask(backend.pool, run, index),
    adaptationOfTask(backend.pool, run, index),
  ]);
  if (!workflow || state === undefined) throw notFound("task");
  const spec = workflow.task(index);
  const content = await lookupInputs(backend.pool, run, [...spec.inputs, ...spec.outputs]);
  const fileOf = (name: string): TaskFile => ({
    name,
    size: content.get(name)?.size ?? null,
    transient: workflow.isTransient(name),
    producer: workflow.producerOf(name),
  });
  const latest = attempts.at(-1);
  return {
    index,
    name: spec.name,
    state,
    command: spec.command,
    weight: spec.weight,
    inputs: spec.inputs.map(fileOf),
    outputs: spec.outputs.map(fileOf),
    attempts: attempts.map(attemptView),
    adaptation,
    output: latest ? await outputOf(backend, run, index, latest.ordinal) : null,
  };
}

export async function askOfTask(
  backend: Backend,
  user: SessionUser,
  kind: "migrate" | "resume",
  { run, task }: { run: RunId; task: number },
): Promise<void> {
  const { taskCount } = await ownRun(backend, user, run);
  if (task >= taskCount) throw notFound("task");
  await requestTaskCommand(backend.pool, { run, kind, task, requestedBy: user.id });
  const action = kind === "migrate" ? "task.moved" : "task.resumed";
  await recordAudit(backend.db, { actor: user.id, action, subject: run, details: { task } });
}

async function outputOf(backend: Backend, run: RunId, task: number, ordinal: number): Promise<TaskDetail["output"]> {
  const attempt = { run, task, ordinal };
  const [stdout, stderr] = await Promise.all([
    readTail(backend, attempt, "stdout"),
    readTail(backend, attempt, "stderr"),
  ]);
  return { ordinal, stdout, stderr };
}

function attemptView(row: AttemptRow): AttemptView {
  return {
    ordinal: row.ordinal,
    cluster: row.cluster,
    host: row.host,
    because: row.because,
    placed: describePlacement(row.because),
    rank: row.rank,
    deadlineAt: row.deadlineAt,
    sentAt: row.sentAt,
    startedAt: row.startedAt,
    endedAt: row.recordedAt,
    outcome: row.outcome,
    moved: row.reason?.startsWith("moved-") ?? false,
    exitCode: row.exitCode,
    reason: wordAttempt(row),
    peakMemoryBytes: row.usage?.peakMemoryBytes ?? null,
  };
}
