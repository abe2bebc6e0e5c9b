/**
 * How an agent's token is kept: only its hash. Tokens are long and random, so a fast hash is enough and
 * finding the row by it gives nothing away.
 */
import { createHash } from "node:crypto";

export function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
