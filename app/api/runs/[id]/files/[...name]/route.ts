/** Download of one file of a run. */
import { backend } from "@/server/api/backend";
import { downloadFile } from "@/server/api/downloads";
import { currentUser } from "@/server/auth/session";

export const dynamic = "force-dynamic";

export async function GET(
  request: Request,
  { params }: { params: Promise<{ id: string; name: string[] }> },
): Promise<Response> {
  const { id, name } = await params;
  return await downloadFile(backend(), await currentUser(request.headers), id, name.map(decodeURIComponent).join("/"));
}
