/**
 * Keys to clusters, at rest: what is secret of a credential is sealed with AES-256-GCM under a key that lives in the home's secrets and
 * never in the database, so a copy of the database opens nothing. Cluster and person are authenticated with it: a sealed key moved to
 * another row does not open there. What is opened stays in the portal's own processes; no procedure answers with it.
 *
 *   sealed = version (1 byte) | nonce (12) | tag (16) | ciphertext
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { ClusterId } from "@/core/engine/ids";
import type { Home } from "@/server/home";
import type { Database } from "@/server/journal/pool";
import { secret } from "@/server/secrets";

/** What is secret: an OpenSSH private key. */
export interface KeyMaterial {
  kind: "ssh-key";
  privateKey: string;
}

/** Whose: a person's own, or the service account's (null). */
export interface CredentialPlace {
  cluster: ClusterId;
  user: string | null;
}

export interface OpenedCredential extends CredentialPlace {
  login: string;
  fingerprint: string;
  expiresAt?: number;
  material: KeyMaterial;
}

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

export class CredentialVault {
  private constructor(
    private readonly key: Buffer,
    /** Eight hexadecimal digits by which this portal knows what is its own on a cluster. */
    readonly portalMark: string,
  ) {}

  static async open(home: Home): Promise<CredentialVault> {
    const kept = await secret(home, "credential-key");
    const derive = (purpose: string, bytes: number) => Buffer.from(hkdfSync("sha256", kept, "", purpose, bytes));
    return new CredentialVault(derive("gridloom credentials", 32), derive("gridloom portal", 4).toString("hex"));
  }

  seal(place: CredentialPlace, material: KeyMaterial): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", this.key, nonce);
    cipher.setAAD(additionalData(place));
    const text = Buffer.concat([cipher.update(JSON.stringify(material), "utf8"), cipher.final()]);
    return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), text]);
  }

  /** Undefined if it was sealed with another key, for another place, or changed since. */
  unseal(place: CredentialPlace, sealed: Uint8Array): KeyMaterial | undefined {
    const bytes = Buffer.from(sealed);
    const textAt = 1 + nonceBytes + tagBytes;
    if (bytes[0] !== version || bytes.length < textAt) return undefined;
    try {
      const decipher = createDecipheriv("aes-256-gcm", this.key, bytes.subarray(1, 1 + nonceBytes));
      decipher.setAAD(additionalData(place));
      decipher.setAuthTag(bytes.subarray(1 + nonceBytes, textAt));
      const text = Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]).toString("utf8");
      return keyMaterial(JSON.parse(text));
    } catch {
      return undefined;
    }
  }
}

export type FoundCredential =
  | { is: "usable"; credential: OpenedCredential }
  | { is: "missing" | "expired" | "unreadable"; sentence: string };

/** The credential for a place, opened; or a sentence that says why there is none to use. */
export async function findCredential(
  database: Database,
  vault: CredentialVault,
  place: CredentialPlace,
  now: number,
): Promise<FoundCredential> {
  const { rows } = await database.query<{
    login: string;
    sealed: Buffer;
    fingerprint: string;
    expires_at: Date | null;
  }>(
    `SELECT login, sealed, fingerprint, expires_at FROM portal.credential
     WHERE cluster_id = $1 AND user_id IS NOT DISTINCT FROM $2::uuid`,
    [place.cluster, place.user],
  );
  const [row] = rows;
  if (!row) return { is: "missing", sentence: credentialSentence(place.user, "missing") };
  const expiresAt = row.expires_at?.getTime();
  if (expiresAt !== undefined && expiresAt <= now)
    return { is: "expired", sentence: credentialSentence(place.user, "expired") };
  const material = vault.unseal(place, row.sealed);
  if (!material) return { is: "unreadable", sentence: credentialSentence(place.user, "unreadable") };
  const { login, fingerprint } = row;
  return {
    is: "usable",
    credential: { ...place, login, fingerprint, material, ...(expiresAt !== undefined && { expiresAt }) },
  };
}

/** Why there is no key to use, for the person whose it would be, or for everyone if it is the service account's. */
export function credentialSentence(user: string | null, state: "missing" | "expired" | "unreadable"): string {
  return user === null ? sentences.service[state] : sentences.own[state];
}

const sentences = {
  own: {
    missing: "You have no key for this cluster; add one on the cluster's page.",
    expired: "Your key for this cluster has expired; replace it on the cluster's page.",
    unreadable:
      "Your key for this cluster cannot be opened with this portal's secret; add it again on the cluster's page.",
  },
  service: {
    missing: "The cluster has no key for the service account; an administrator can add one.",
    expired: "The key of the cluster's service account has expired; an administrator can replace it.",
    unreadable:
      "The key of the cluster's service account cannot be opened with this portal's secret; an administrator must add it again.",
  },
};

function additionalData({ cluster, user }: CredentialPlace): Buffer {
  return Buffer.from(JSON.stringify([cluster, user]), "utf8");
}

function keyMaterial(value: unknown): KeyMaterial | undefined {
  if (typeof value !== "object" || value === null || !("kind" in value) || !("privateKey" in value)) return undefined;
  const { kind, privateKey } = value;
  return kind === "ssh-key" && typeof privateKey === "string" ? { kind, privateKey } : undefined;
}
