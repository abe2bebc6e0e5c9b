/**
 * POST or PUT of one file as the body: `/api/upload?name=NAME` → `{ name, sha256, size }`. The body goes to
 * the file store as it comes; nothing is kept of an upload that was too large or broke off.
 */
import { backend } from "@/server/api/backend";
import { isSameOrigin } from "@/server/api/context";
import { receiveUpload } from "@/server/api/receive-upload";
import { currentUser } from "@/server/auth/session";

export const dynamic = "force-dynamic";

async function handler(request: Request): Promise<Response> {
  const { settings } = backend();
  if (!isSameOrigin(request.headers, settings.publicUrl)) {
    return Response.json({ error: "This request came from another web site and was refused." }, { status: 403 });
  }
  const user = await currentUser(request.headers);
  if (!user) return Response.json({ error: "Please sign in first." }, { status: 401 });
  const answer = await receiveUpload(backend(), user, request);
  return Response.json(answer.body, { status: answer.status, headers: answer.close ? { connection: "close" } : {} });
}

export { handler as POST, handler as PUT };
