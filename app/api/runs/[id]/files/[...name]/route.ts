/** Download of one file of a run. */
import { backend } from "@/server/api/backend";
import { downloadFile } from "@/server/api/downloads";
import { currentUser } from "@/server/auth/session";

export const dynamic = "force-dynamic";

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const { id } = await params;
  // Taken from the address itself: a name may contain “%”, so it must be decoded exactly once.
  const { pathname } = new URL(request.url);
  const encoded = pathname.slice(pathname.indexOf("/files/") + "/files/".length);
  return await downloadFile(backend(), await currentUser(request.headers), id, decodeName(encoded));
}

function decodeName(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    // Not an address of ours; no file has this name either.
    return encoded;
  }
}
