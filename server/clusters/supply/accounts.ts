/**
 * Under whose account a person's work goes to a cluster: their own, or the service account's where an admin allows it (`either`: their own
 * if they gave one). Without a usable key there is a sentence instead, and what depends on it waits.
 */
import type { ClusterId } from "@/core/engine/ids";
import type { Database } from "@/server/journal/pool";
import type { RegisteredCluster } from "../cluster-settings";
import { credentialSentence } from "../credentials";
import type { Account } from "./agent-rows";

export interface KnownCredential {
  cluster: ClusterId;
  account: Account;
  expiresAt: number | null;
  /** Another one whenever the key was replaced. */
  version: string;
}

export async function knownCredentials(database: Database): Promise<KnownCredential[]> {
  const { rows } = await database.query<KnownCredential>(
    `SELECT cluster_id AS cluster, user_id::text AS account, extract(epoch FROM expires_at)::float8 * 1000 AS "expiresAt",
            id::text || ' ' || login || ' ' || fingerprint AS version
     FROM portal.credential`,
  );
  return rows;
}

export type AccountChoice = { account: Account } | { problem: string; account: Account };

export function accountFor(
  cluster: RegisteredCluster,
  owner: string,
  credentials: readonly KnownCredential[],
  now: number,
): AccountChoice {
  // On the portal's own machine commands run as the portal itself.
  if (!cluster.address) {
    return cluster.accountPolicy === "own"
      ? { account: owner, problem: "Its commands run as the portal's own account, so it cannot be used with your own." }
      : { account: null };
  }
  const usable = (account: Account) => {
    const found = credentials.find((one) => one.cluster === cluster.id && one.account === account);
    if (!found) return "missing";
    return found.expiresAt !== null && found.expiresAt <= now ? "expired" : "usable";
  };
  const own = cluster.accountPolicy === "service" ? "missing" : usable(owner);
  if (own === "usable") return { account: owner };
  if (cluster.accountPolicy !== "own") {
    const service = usable(null);
    if (service === "usable") return { account: null };
    if (cluster.accountPolicy === "service" || own === "missing")
      return { account: null, problem: credentialSentence(null, service) };
  }
  return { account: owner, problem: credentialSentence(owner, own) };
}
