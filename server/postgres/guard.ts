/**
 * PostgreSQL must end with the portal, also when the portal is killed without a chance to say so. Between the two stands
 * a few lines of POSIX sh whose standard input is a pipe from us: whatever ends us closes the pipe, and the
 * guard then asks the server for a fast shutdown. A session of its own keeps Ctrl-C away from the server, which
 * has to outlive the parts that still commit.
 *
 *   running ──(pipe closes)──▶ SIGINT to the server ──▶ server ends ──▶ guard ends with its status
 *   running ──(server ends)──▶ guard ends with its status
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Account } from "./account";
import { plainEnvironment } from "./plain-environment";

const script = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
( exec >/dev/null 2>&1; read -r _ <&3; kill -INT "$server" ) &
watch=$!
exec 3<&-
wait "$server"
status=$?
kill "$watch" 2>/dev/null
wait "$watch" 2>/dev/null
exit "$status"
`;

export type GuardedServer = ChildProcessByStdio<Writable, null, Readable>;

export function spawnGuarded(program: string, options: string[], account: Account | undefined): GuardedServer {
  return spawn("/bin/sh", ["-c", script, "gridloom-database-guard", program, ...options], {
    cwd: "/",
    detached: true,
    env: plainEnvironment,
    stdio: ["pipe", "ignore", "pipe"],
    ...(account && { uid: account.uid, gid: account.gid }),
  });
}
