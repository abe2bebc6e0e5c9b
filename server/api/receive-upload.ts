/** Takes one uploaded file into the store and notes whose it is. */
import type { SessionUser } from "@/server/auth/session";
import { FileStoreError } from "@/server/files/store";
import type { Backend } from "./backend";
import { uploadName } from "./inputs";
import { recordUpload } from "./uploads";
import type { UploadedFile } from "./views";

export interface UploadAnswer {
  status: number;
  body: UploadedFile | { error: string };
  /** The rest of the body is not wanted: the connection cannot be used again. */
  close?: boolean;
}

export async function receiveUpload(
  { db, files, settings }: Pick<Backend, "db" | "files" | "settings">,
  user: SessionUser,
  request: Request,
): Promise<UploadAnswer> {
  const name = uploadName.safeParse(new URL(request.url).searchParams.get("name"));
  if (!name.success) return refusal(400, name.error.issues[0]?.message ?? "The file needs a name.");
  const limit = settings.maxUploadBytes;
  // Honest clients are told before they send gigabytes; the store counts for the others.
  if (Number(request.headers.get("content-length") ?? 0) > limit) return tooLarge(name.data, limit);
  try {
    const stored = await files.put(bytesOf(request.body), { limit });
    await recordUpload(db, user.id, stored);
    return { status: 200, body: { name: name.data, sha256: stored.sha256, size: stored.size } };
  } catch (error) {
    if (error instanceof FileStoreError) {
      if (error.code === "too-large") return tooLarge(name.data, limit);
      if (error.code === "disk-full") return refusal(507, "The portal's disk is full. The file was not stored.");
    }
    if (request.signal.aborted) return refusal(400, "The upload broke off. Nothing was stored.");
    throw error;
  }
}

function tooLarge(name: string, limit: number): UploadAnswer {
  const megabytes = Math.round((limit / 1024 / 1024) * 10) / 10;
  return refusal(413, `“${name}” is larger than the ${megabytes} MB this portal accepts. Nothing was stored.`);
}

function refusal(status: number, error: string): UploadAnswer {
  return { status, body: { error }, close: true };
}

async function* bytesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void, unknown> {
  if (!body) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Stops the sender when the store has had enough.
    await reader.cancel().catch(() => undefined);
  }
}
