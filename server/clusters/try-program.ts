/** Runs a small system program to find something out, with nothing of our environment. */
import { spawnSync } from "node:child_process";

export const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export interface Tried {
  succeeded: boolean;
  output: string;
  /** Why not, as the program said it. */
  complaint: string;
}

export function tryProgram(words: readonly string[], directory = "/"): Tried {
  const [program = "", ...rest] = words;
  const { status, stdout, stderr, error } = spawnSync(program, rest, {
    cwd: directory,
    env: { PATH: systemPath, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    timeout: 10_000,
  });
  const complaint = error?.message ?? (stderr.trim() || `${program} ended with ${status}`);
  return { succeeded: status === 0, output: stdout?.trim() ?? "", complaint };
}

/** The words that run a program under another account, without a way back. */
export function asAccount(account: { uid: number; gid: number }, words: readonly string[]): string[] {
  const switching = [`--reuid=${account.uid}`, `--regid=${account.gid}`, "--clear-groups", "--no-new-privs"];
  return ["setpriv", ...switching, "--", ...words];
}
