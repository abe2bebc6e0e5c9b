/**
 * Whose content is it? Content is stored once for everybody, under its hash; a person reaches it only
 * through a row that says they brought it. Knowing or guessing a hash opens nothing.
 */
import { TRPCError } from "@trpc/server";
import type { PortalDb } from "@/server/portal-db/client";

export async function recordUpload(
  db: PortalDb,
  ownerId: string,
  file: { sha256: string; size: number },
): Promise<void> {
  // Files dropped together may have the same content and arrive at the same moment: who comes second finds it done.
  await db.upload.createMany({ data: [{ ownerId, sha256: file.sha256, size: file.size }], skipDuplicates: true });
}

/** The named files with their sizes, or an error that names the first one this person did not upload. */
export async function ownedUploads(
  db: PortalDb,
  ownerId: string,
  files: readonly { name: string; sha256: string }[],
): Promise<{ name: string; sha256: string; size: number }[]> {
  if (files.length === 0) return [];
  const owned = await db.upload.findMany({
    where: { ownerId, sha256: { in: files.map((file) => file.sha256) } },
    select: { sha256: true, size: true },
  });
  const sizes = new Map(owned.map((upload) => [upload.sha256, Number(upload.size)]));
  return files.map(({ name, sha256 }) => {
    const size = sizes.get(sha256);
    if (size === undefined) {
      throw new TRPCError({ code: "NOT_FOUND", message: `The file “${name}” was not uploaded. Upload it again.` });
    }
    return { name, sha256, size };
  });
}
