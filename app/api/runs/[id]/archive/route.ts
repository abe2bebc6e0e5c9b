/** Download of all results of a run as one zip file. */
import { backend } from "@/server/api/backend";
import { downloadArchive } from "@/server/api/downloads";
import { currentUser } from "@/server/auth/session";

export const dynamic = "force-dynamic";

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const { id } = await params;
  return await downloadArchive(backend(), await currentUser(request.headers), id);
}
