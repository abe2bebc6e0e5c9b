/**
 * Host keys: asked of a front end once, shown to the administrator as a fingerprint, then pinned. From then on only that key
 * is accepted.
 */
import { createHash } from "node:crypto";
import { ClusterProblem } from "./cluster-problem";
import { runProcess } from "./run-process";
import { checkSshName } from "./ssh-names";

export interface HostKey {
  /** As in a known_hosts file, without the host: `ssh-ed25519 AAAA…`. */
  key: string;
  /** As ssh-keygen prints it: `SHA256:…`. */
  fingerprint: string;
}

const keyLine = /^(ssh-[a-z0-9-]+|ecdsa-[a-z0-9-]+|sk-[a-z0-9@.-]+) ([A-Za-z0-9+/]{40,3000}={0,2})$/;
/** The order in which OpenSSH prefers them. */
const preferred = ["ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa"];

/** Undefined if the text is no public key. */
export function parseHostKey(text: string): HostKey | undefined {
  const [type = "", data = ""] = text.trim().split(/\s+/);
  const key = `${type} ${data}`;
  if (!keyLine.test(key)) return undefined;
  const digest = createHash("sha256").update(Buffer.from(data, "base64")).digest("base64").replace(/=+$/, "");
  return { key, fingerprint: `SHA256:${digest}` };
}

/** Whatever answers there now: it is for a person to compare the fingerprint. */
export async function fetchHostKey(address: { host: string; port: number }, timeoutMs = 10_000): Promise<HostKey> {
  checkSshName("host", address.host);
  const seconds = String(Math.max(1, Math.ceil(timeoutMs / 1000)));
  const words = ["ssh-keyscan", "-T", seconds, "-p", String(address.port), "--", address.host];
  const end = await runProcess(words, { timeoutMs: timeoutMs + 2_000 });
  const keys = end.stdout
    .split("\n")
    .map((line) => parseHostKey(line.slice(line.indexOf(" ") + 1)))
    .filter((key) => key !== undefined)
    .sort((a, b) => rank(a) - rank(b));
  const [best] = keys;
  if (best) return best;
  throw new ClusterProblem(
    "unreachable",
    `${address.host} port ${address.port} shows no SSH host key. Check the name and the port, and that SSH is allowed from the portal's machine.`,
  );
}

function rank(key: HostKey): number {
  const at = preferred.indexOf(key.key.split(" ")[0] ?? "");
  return at === -1 ? preferred.length : at;
}
