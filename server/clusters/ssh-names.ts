/** Names of hosts and logins come from a form and become words of an ssh command: nothing in them may look like an option. */
import { ClusterProblem } from "./cluster-problem";

const patterns = {
  host: /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,252}$/,
  login: /^[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,63}$/,
} as const;

export function isSshName(what: keyof typeof patterns, name: string): boolean {
  return patterns[what].test(name);
}

export function checkSshName(what: keyof typeof patterns, name: string): void {
  if (isSshName(what, name)) return;
  const noun = what === "host" ? "host name or address" : "login name";
  throw new ClusterProblem("unreachable", `“${name.slice(0, 80)}” is no ${noun}.`);
}
