/** Is the web server up and does it reach its database? For supervisors and load balancers; tells nothing else. */
import { backend } from "@/server/api/backend";

export const dynamic = "force-dynamic";

export async function GET(): Promise<Response> {
  try {
    await backend().pool.query("SELECT 1");
    return Response.json({ ok: true });
  } catch {
    return Response.json({ ok: false }, { status: 503 });
  }
}
