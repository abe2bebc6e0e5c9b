/** New policies for a run that goes on (GB-2): for whoever started it, and for admins. */
import { TRPCError } from "@trpc/server";
import type { RunId } from "@/core/engine/ids";
import type { Policies } from "@/core/engine/policy";
import type { SessionUser } from "@/server/auth/session";
import { getRun } from "@/server/journal/queries/get-run";
import { requestPolicies } from "@/server/journal/queries/request-command";
import { recordAudit } from "@/server/portal-db/audit";
import type { Backend } from "./backend";
import { refuseUnreadable } from "./run-options";
import { ownRun } from "./run-views";
import { notFound } from "./trpc";

type Access = Pick<Backend, "pool" | "db">;

export async function changePolicies(access: Access, user: SessionUser, id: RunId, policies: Policies): Promise<void> {
  const run = user.role === "admin" ? await getRun(access.pool, id) : await ownRun(access, user, id);
  if (!run) throw notFound("run");
  if (run.state !== "queued" && run.state !== "running") {
    throw new TRPCError({ code: "CONFLICT", message: "The run is over: its policies can no longer be changed." });
  }
  refuseUnreadable(policies);
  await requestPolicies(access.pool, { run: id, policies, requestedBy: user.id });
  await recordAudit(access.db, {
    actor: user.id,
    action: "run.policies-changed",
    subject: id,
    details: { policies: JSON.stringify(policies) },
  });
}
