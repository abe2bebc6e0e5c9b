/**
 * Whether something keeps all runs from going on, as the supervisor told this process. Kept on `globalThis`, because the web
 * part hears it and Next's own bundle of the routes answers with it. It needs no database, which may be what is missing.
 */
import { type PortalStatus, type PortalTrouble, portalStatus, troubleIn } from "@/server/portal-trouble";

declare global {
  var gridloomTrouble: PortalTrouble | undefined;
}

export function hearTrouble(message: unknown): void {
  const trouble = troubleIn(message);
  if (trouble === undefined) return;
  globalThis.gridloomTrouble = trouble ? { since: new Date().toISOString(), ...trouble } : undefined;
}

export function currentStatus(): PortalStatus {
  return portalStatus(globalThis.gridloomTrouble);
}
