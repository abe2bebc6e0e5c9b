/** Is there something that keeps every run from going on? For the banner on the pages; anyone may ask, it is about nobody. */
import { currentStatus } from "@/server/api/portal-status";

export const dynamic = "force-dynamic";

export function GET(): Response {
  return Response.json(currentStatus(), { headers: { "cache-control": "no-store" } });
}
