/**
 * Files to and from agents, by hash. An agent reads only what its attempts need; what it writes must have the hash
 * it names, so it can add to the store but change nothing in it.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gzipSync } from "node:zlib";
import { defaultRunSettings } from "@/server/engine/run-settings";
import type { PartialUploads } from "@/server/files/partial-uploads";
import { type ByteRange, type FileStore, FileStoreError, type FileStoreProblem } from "@/server/files/store";
import type { Pool } from "@/server/journal/pool";
import type { TokenHolder } from "@/server/journal/queries/agent-by-token";
import { agentMayRead } from "@/server/journal/queries/agent-may-read";
import { parseRange } from "./byte-range";
import { HttpProblem } from "./http-problem";
import type { Sessions } from "./sessions";

export interface FilePorts {
  pool: Pool;
  store: FileStore;
  uploads: PartialUploads;
  sessions: Sessions;
}

const packFromBytes = 32 * 1024;
const sampleBytes = 64 * 1024;
const worthwhile = 0.85;

const statusOf: Record<FileStoreProblem, number> = { "too-large": 413, "wrong-content": 422, "disk-full": 507 };

export async function sendFile(
  ports: FilePorts,
  holder: TokenHolder,
  sha256: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const size = (await mayRead(ports, holder, sha256)) ? await ports.store.size(sha256) : undefined;
  if (size === undefined)
    throw new HttpProblem(404, "There is no such file among the inputs of this agent's attempts.");
  response.setHeader("ETag", `"${sha256}"`);
  const open = (range?: ByteRange) => ports.store.open(sha256, range);
  const packs = request.method === "GET" && request.headers["accept-encoding"] === "gzip";
  await send(request, response, size, open, packs && (await isWorthPacking(size, open)));
}

/** By its beginning: what does not shrink there seldom does later. */
async function isWorthPacking(size: number, open: (range: ByteRange) => Readable): Promise<boolean> {
  if (size < packFromBytes) return false;
  const sample = Buffer.concat(await open({ start: 0, end: sampleBytes - 1 }).toArray());
  return gzipSync(sample, { level: 1 }).length < worthwhile * sample.length;
}

/** What agents start from (server/clusters/agent-programs.ts). */
export async function sendProgram(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new HttpProblem(404, "The portal no longer has this program; the agent was made too long ago.");
  await send(request, response, found.size, (range) => createReadStream(path, range ?? {}));
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  size: number,
  open: (range?: ByteRange) => Readable,
  packed = false,
): Promise<void> {
  const range = parseRange(request.headers.range, size);
  response.setHeader("Accept-Ranges", "bytes");
  response.setHeader("Content-Type", "application/octet-stream");
  if (range === "unsatisfiable") {
    response.setHeader("Content-Range", `bytes */${size}`);
    throw new HttpProblem(416, `The file has ${size} bytes; the range asked for lies outside.`);
  }
  if (packed) {
    // The range is the file's own; how many bytes come of it is known when they have been sent.
    response.writeHead(range ? 206 : 200, { "Content-Encoding": "gzip" });
    await pipeline(open(range), createGzip({ level: 1 }), response);
    return;
  }
  writeHead(response, size, range);
  if (request.method === "HEAD") response.end();
  else await pipeline(open(range), response);
}

function writeHead(response: ServerResponse, size: number, range: ByteRange | undefined): void {
  if (range) {
    response.setHeader("Content-Range", `bytes ${range.start}-${range.end}/${size}`);
    response.writeHead(206, { "Content-Length": range.end - range.start + 1 });
  } else response.writeHead(200, { "Content-Length": size });
}

async function mayRead({ pool, sessions }: FilePorts, holder: TokenHolder, sha256: string): Promise<boolean> {
  for (const { id } of holder.agents) if (sessions.get(id)?.mayRead(sha256)) return true;
  try {
    for (const { id } of holder.agents) if (await agentMayRead(pool, id, sha256)) return true;
  } catch (error) {
    // An agent counts other failures against its task; for a portal that is not all there it waits.
    const reason = error instanceof Error ? error.message : String(error);
    throw new HttpProblem(503, `The portal's database does not answer; try again (${reason}).`);
  }
  return false;
}

/** How much of an output the portal has: all (204), or the bytes of an upload that broke off. */
export async function tellArrived(
  ports: FilePorts,
  holder: TokenHolder,
  sha256: string,
  response: ServerResponse,
): Promise<void> {
  const { store, uploads } = ports;
  const sender = senderOf(holder);
  // Whether somebody else's file has this content is not this agent's to know.
  const mayKnow = uploads.hasStored(sender, sha256) || (await mayRead(ports, holder, sha256));
  if (mayKnow && (await store.has(sha256))) response.writeHead(204).end();
  else response.writeHead(200, { "Upload-Offset": await uploads.arrived(sender, sha256) }).end();
}

/** The next bytes of an output; `Content-Range` says which. */
export async function receivePiece(
  ports: FilePorts,
  holder: TokenHolder,
  sha256: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const range = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(request.headers["content-range"] ?? "");
  const [from, last, total] = (range?.slice(1) ?? []).map(Number);
  if (from === undefined || last === undefined || total === undefined || last !== total - 1 || from > last) {
    throw new HttpProblem(400, "An upload says in Content-Range which bytes it brings, to the end of the file.");
  }
  const limit = outputLimit(ports, holder);
  if (total > limit) throw new HttpProblem(413, `The file is larger than the ${limit} bytes allowed.`);
  const sender = senderOf(holder);
  try {
    const source = request.iterator({ destroyOnReturn: false });
    const result = await ports.uploads.receive({ sender, sha256, from, total }, source, () => request.destroy());
    if (result === "stored") response.writeHead(204).end();
    else if (!response.destroyed) {
      throw new HttpProblem(409, `${await ports.uploads.arrived(sender, sha256)} bytes have arrived; go on there.`);
    }
  } catch (error) {
    if (error instanceof FileStoreError) throw new HttpProblem(statusOf[error.code], error.message);
    throw error;
  }
}

function senderOf({ agents }: TokenHolder): string {
  return agents[0]?.id ?? "nobody";
}

function outputLimit({ sessions }: FilePorts, { agents }: TokenHolder): number {
  const known = agents.map(({ id }) => sessions.get(id)?.largestOutput ?? 0);
  return Math.max(defaultRunSettings.outputBytes, ...known);
}

export async function receiveFile(
  ports: FilePorts,
  holder: TokenHolder,
  sha256: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const limit = outputLimit(ports, holder);
  if (Number(request.headers["content-length"] ?? 0) > limit) {
    throw new HttpProblem(413, `The file is larger than the ${limit} bytes allowed.`);
  }
  try {
    // Not destroyed when the store stops reading: the refusal goes out on the same connection.
    await ports.store.put(request.iterator({ destroyOnReturn: false }), { limit, expected: sha256 });
  } catch (error) {
    if (error instanceof FileStoreError) throw new HttpProblem(statusOf[error.code], error.message);
    throw error;
  }
  response.writeHead(204).end();
}
