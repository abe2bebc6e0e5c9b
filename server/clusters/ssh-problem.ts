/** What OpenSSH says when a connection fails, as a problem with a sentence on what to do. */
import { ClusterProblem } from "./cluster-problem";

export function sshProblem(stderr: string, place: string, exitCode: number | null): ClusterProblem {
  const said = lastLines(stderr);
  if (/host key verification failed|host identification has changed|no .* host key is known/i.test(stderr)) {
    return new ClusterProblem(
      "host-key",
      `The host key of ${place} is not the one that was confirmed for this cluster. Either the machine was installed anew, or something ` +
        "answers in its place. Nothing was sent to it. Ask whoever runs it, then confirm the new key.",
    );
  }
  if (/incorrect passphrase|passphrase.*required|error in libcrypto|invalid format|key_load_private/i.test(stderr)) {
    return new ClusterProblem(
      "not-authorised",
      `The private key for ${place} cannot be read: it is damaged or has a passphrase. Add a key without one, made for this portal alone.`,
    );
  }
  if (/permission denied|too many authentication failures|no supported authentication methods/i.test(stderr)) {
    return new ClusterProblem(
      "not-authorised",
      `${place} does not accept the key. Add its public half to ~/.ssh/authorized_keys there, and check the login name.`,
    );
  }
  if (/could not resolve hostname|name or service not known/i.test(stderr)) {
    return new ClusterProblem("unreachable", `The name in ${place} is not known. Check the address.`);
  }
  if (/connection refused/i.test(stderr)) {
    return new ClusterProblem(
      "unreachable",
      `${place} refuses connections on that port. Check the port, and that sshd runs.`,
    );
  }
  if (/account (is )?(currently )?not available|this account|nologin/i.test(stderr)) {
    return new ClusterProblem("not-authorised", `The account of ${place} may not run commands: ${said}`);
  }
  const detail = said || `ssh ended with ${exitCode ?? "a signal"}`;
  return new ClusterProblem("unreachable", `No connection to ${place}: ${detail}`);
}

function lastLines(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .slice(-2)
    .join(" ")
    .slice(-400);
}
