/** Download of a run's rescue DAG: what is left of it, to be run elsewhere or later. */
import { backend } from "@/server/api/backend";
import { downloadRescue } from "@/server/api/downloads";
import { currentUser } from "@/server/auth/session";

export const dynamic = "force-dynamic";

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const { id } = await params;
  return await downloadRescue(backend(), await currentUser(request.headers), id);
}
