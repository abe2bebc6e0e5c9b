/**
 * Whose word counts for the gateway's certificate: the authorities the agent was given, and no others; else those Node knows
 * and those of this host, which is where a site puts its own.
 */
import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import type { AgentConfig } from "./config";

/** Where systems keep them all in one file: Debian, Red Hat, SUSE, Alpine and BSD. */
const places = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

export function authoritiesFor({ gatewayUrl, caFile }: AgentConfig): string[] | undefined {
  if (!gatewayUrl.startsWith("https:")) return undefined;
  if (caFile !== undefined) return [readFileSync(caFile, "utf8")];
  return [...rootCertificates, ...places.flatMap(read)];
}

function read(path: string): string[] {
  try {
    return [readFileSync(path, "utf8")];
  } catch {
    return [];
  }
}
