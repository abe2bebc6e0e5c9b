/**
 * The samples on the home page: folders of `examples/`, each a workflow and the files it needs. Running one
 * stores it as a workflow of the person's own, so that it can be changed and run again.
 */
import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { formatOf } from "@/core/languages";
import { checkWorkflow } from "@/core/workflow/check";
import type { SessionUser } from "@/server/auth/session";
import { checkoutDirectory } from "@/server/checkout";
import type { Backend } from "./backend";
import { startRun } from "./start-run";
import { notFound } from "./trpc";
import { recordUpload } from "./uploads";
import type { SampleView } from "./views";

interface Sample {
  id: string;
  title: string;
  description: string;
}

const samples: readonly Sample[] = [
  {
    id: "diamond",
    title: "Diamond",
    description: "Four tasks: one splits, two work side by side, one joins. The smallest graph with all of it.",
  },
  {
    id: "plot",
    title: "Plots combined",
    description:
      "Several series are computed and drawn, and the pictures are combined into one. The files in between are transient: they stay on the grid.",
  },
  {
    id: "pi",
    title: "π by throwing darts",
    description: "A bag of 200 independent Monte Carlo tasks and one that merges their counts into an estimate of π.",
  },
];

/** Files of a sample's folder that are for readers, not for tasks. */
const notForTasks = /\.(gadl|md)$/;

export async function listSamples(): Promise<SampleView[]> {
  return await Promise.all(
    samples.map(async (sample) => {
      const source = await sourceOf(sample);
      return { ...sample, source, tasks: checkWorkflow(source).workflow?.taskCount ?? 0 };
    }),
  );
}

export async function startSample(
  backend: Backend,
  user: SessionUser,
  id: string,
): Promise<{ id: string; workflowId: string }> {
  const sample = samples.find((candidate) => candidate.id === id);
  if (!sample) throw notFound("sample");
  const source = await sourceOf(sample);
  const files = await storeFiles(backend, user, sample);
  const workflow = await ownCopy(backend, user, sample, source, files);
  const run = await startRun(backend, user, { name: sample.title, source, files, workflowId: workflow.id });
  return { id: run.id, workflowId: workflow.id };
}

/** Clicking a sample again uses the copy of before, unless that was changed since. */
async function ownCopy(
  { db }: Backend,
  user: SessionUser,
  { title }: Sample,
  source: string,
  files: { name: string; sha256: string; size: number }[],
): Promise<{ id: string }> {
  const known = await db.workflow.findFirst({
    where: { ownerId: user.id, name: title, source, removedAt: null },
    select: { id: true },
  });
  if (known) return known;
  return await db.workflow.create({
    data: {
      ownerId: user.id,
      name: title,
      source,
      format: formatOf(source).name,
      files: { createMany: { data: files } },
    },
    select: { id: true },
  });
}

async function storeFiles({ db, files }: Backend, user: SessionUser, sample: Sample) {
  const names = (await readdir(folderOf(sample))).filter((name) => !notForTasks.test(name));
  return await Promise.all(
    names.map(async (name) => {
      const stored = await files.put(createReadStream(join(folderOf(sample), name)));
      await recordUpload(db, user.id, stored);
      return { name, ...stored };
    }),
  );
}

function sourceOf(sample: Sample): Promise<string> {
  return readFile(join(folderOf(sample), `${sample.id}.gadl`), "utf8");
}

function folderOf({ id }: Sample): string {
  return join(checkoutDirectory(), "examples", id);
}
