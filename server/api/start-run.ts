/**
 * Starting a run: the text is read and checked again here, whatever the browser found; every file the
 * workflow expects from its submitter must be one the submitter uploaded.
 */
import { TRPCError } from "@trpc/server";
import type { RunId } from "@/core/engine/ids";
import { formatProblem, type Problem } from "@/core/problem";
import { runProblems } from "@/core/workflow/run-check";
import { matching } from "@/core/workflow/run-time-variables";
import type { SessionUser } from "@/server/auth/session";
import { defaultRunSettings, type RunSettings } from "@/server/engine/run-settings";
import { createRun } from "@/server/journal/queries/create-run";
import { recordAudit } from "@/server/portal-db/audit";
import type { Backend } from "./backend";
import { notFound } from "./trpc";
import { ownedUploads } from "./uploads";
import { checkStored } from "./workflow-check";

export interface RunRequest {
  name: string;
  source: string;
  sourceName?: string | null;
  files: readonly { name: string; sha256: string }[];
  workflowId?: string;
  /** The defaults if not given. */
  settings?: RunSettings;
}

const mostProblemsTold = 5;

export async function startRun(backend: Backend, user: SessionUser, request: RunRequest): Promise<{ id: RunId }> {
  const files = await ownedUploads(backend.db, user.id, request.files);
  const provided = new Map(files.map((file) => [file.name, file]));
  const { workflow, application, format, problems } = await checkStored(
    backend.files,
    request,
    files,
    new Set(provided.keys()),
  );
  const errors = [...problems, ...runProblems(application)].filter((problem) => problem.severity === "error");
  if (errors.length > 0 || !workflow) throw refused(request.sourceName ?? request.name, errors);
  const inputs = workflow.externalInputs.flatMap(({ name }) => {
    const names = provided.has(name) ? [name] : matching(name, provided.keys());
    if (names.length === 0) throw new Error(`The check let “${name}” pass, which nobody provided.`);
    return names.flatMap((found) => {
      const file = provided.get(found);
      return file ? [{ name: found, sha256: file.sha256, size: file.size }] : [];
    });
  });
  const id = await createRun(backend.pool, {
    owner: user.id,
    ownerAdmin: user.role === "admin",
    workflow: request.workflowId,
    name: request.name,
    format,
    source: request.source,
    application,
    graph: workflow,
    settings: request.settings ?? defaultRunSettings,
    inputs,
  });
  await recordAudit(backend.db, {
    actor: user.id,
    action: "run.started",
    subject: id,
    details: { name: request.name, tasks: workflow.taskCount },
  });
  return { id };
}

export async function startWorkflow(
  backend: Backend,
  user: SessionUser,
  workflowId: string,
  files: readonly { name: string; sha256: string }[] = [],
  settings: RunSettings = defaultRunSettings,
): Promise<{ id: RunId }> {
  const workflow = await backend.db.workflow.findFirst({
    where: { id: workflowId, ownerId: user.id, removedAt: null },
    select: { name: true, source: true, sourceName: true, files: { select: { name: true, sha256: true } } },
  });
  if (!workflow) throw notFound("workflow");
  const given = new Set(files.map((file) => file.name));
  return await startRun(backend, user, {
    name: workflow.name,
    source: workflow.source,
    sourceName: workflow.sourceName,
    files: [...workflow.files.filter((file) => !given.has(file.name)), ...files],
    workflowId,
    settings,
  });
}

function refused(name: string, errors: readonly Problem[]): TRPCError {
  const told = errors.slice(0, mostProblemsTold).map((problem) => formatProblem(problem, name));
  if (errors.length > told.length) told.push(`… and ${errors.length - told.length} more problems.`);
  return new TRPCError({ code: "BAD_REQUEST", message: told.join("\n") });
}
