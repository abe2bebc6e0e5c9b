/**
 * Files on their way to a browser. A result may be anything, HTML with scripts included, and it comes from the
 * portal's own address: so it is always a download, never shown, never guessed at, and sandboxed should a
 * browser show it all the same.
 */
import { PassThrough, type Readable } from "node:stream";
import yazl from "yazl";
import type { SessionUser } from "@/server/auth/session";
import type { Backend } from "./backend";
import { id as runId } from "./inputs";
import { runOfOwner } from "./queries/run-of-owner";
import { rescueDag } from "./rescue";
import { fileOfRun, resultsOfRun, type StoredRunFile } from "./run-files";

type Parts = Pick<Backend, "pool" | "files">;

export async function downloadFile(
  parts: Parts,
  user: SessionUser | null,
  id: string,
  name: string,
): Promise<Response> {
  const run = await ownedRun(parts, user, id);
  if (run instanceof Response) return run;
  const file = await fileOfRun(parts, run.id, name);
  if (!file || !(await parts.files.has(file.sha256))) return refusal(404, "There is no such file.");
  return new Response(bodyOf(parts.files.open(file.sha256)), {
    headers: {
      ...downloadHeaders(name.split("/").at(-1) ?? name, "application/octet-stream"),
      "content-length": String(file.size),
    },
  });
}

export async function downloadArchive(parts: Parts, user: SessionUser | null, id: string): Promise<Response> {
  const run = await ownedRun(parts, user, id);
  if (run instanceof Response) return run;
  const files = await resultsOfRun(parts, run.id);
  if (files.length === 0) return refusal(404, "This run has no result files yet.");
  return new Response(bodyOf(archiveOf(parts, files)), {
    headers: downloadHeaders(`${run.name}.zip`, "application/zip"),
  });
}

export async function downloadRescue(parts: Parts, user: SessionUser | null, id: string): Promise<Response> {
  const run = await ownedRun(parts, user, id);
  if (run instanceof Response) return run;
  const dag = await rescueDag(parts.pool, run.id);
  if (dag === undefined) return refusal(404, "There is no such run.");
  return new Response(dag, { headers: downloadHeaders(`${run.name}.rescue.dag`, "text/plain; charset=utf-8") });
}

/** Streamed: a file is opened when its turn comes, so a run of 10,000 results needs one descriptor. */
function archiveOf({ files }: Parts, results: readonly StoredRunFile[]): Readable {
  const archive = new yazl.ZipFile();
  const output = new PassThrough();
  let current: Readable | undefined;
  const fail = (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error)));
  archive.on("error", fail);
  const names = archiveNames(results.map(({ name }) => name));
  for (const [index, { sha256, size }] of results.entries()) {
    archive.addReadStreamLazy(names[index]!, { size }, (give) => {
      current = files.open(sha256).on("error", fail);
      give(null, current);
    });
  }
  // A browser that cancels the download must not leave the current file open.
  output.on("close", () => current?.destroy());
  archive.outputStream.pipe(output);
  archive.end();
  return output;
}

/**
 * Names as they may stand in a zip file. A backslash, or a letter and a colon at the start, are part of a name here but lead
 * elsewhere on Windows: programs that unpack would refuse them or worse. What is changed must not meet another name.
 */
export function archiveNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  return names.map((name) => {
    let plain = name.replaceAll("\\", "_").replace(/^([A-Za-z]):/, "$1_");
    if (plain === name) return name;
    while (taken.has(plain)) plain = `_${plain}`;
    taken.add(plain);
    return plain;
  });
}

async function ownedRun(parts: Parts, user: SessionUser | null, id: string) {
  if (!user) return refusal(401, "Please sign in first.");
  const run = runId.safeParse(id).success ? await runOfOwner(parts.pool, id, user.id) : undefined;
  return run ?? refusal(404, "There is no such run.");
}

function refusal(status: number, sentence: string): Response {
  return new Response(`${sentence}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}

function bodyOf(stream: Readable): ReadableStream<Uint8Array> {
  const parts: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel() {
      stream.destroy();
    },
  });
}

function downloadHeaders(name: string, type: string): Record<string, string> {
  return {
    "content-type": type,
    "content-disposition": contentDisposition(name),
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "cache-control": "private, no-store",
  };
}

/** RFC 6266: a plain name for old clients, the real one in UTF-8 (RFC 5987) for all others. */
export function contentDisposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name.replace(/[\uD800-\uDFFF]/gu, "_")).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
