/**
 * PostgreSQL refuses to run as root. Started by root (containers), the embedded server runs under an account of
 * its own: `postgres` where it exists, else `gridloom-db`, made on first use. An existing data directory decides: the
 * account that owns it keeps running it.
 */
import { spawnSync } from "node:child_process";
import { stat } from "node:fs/promises";
import { StartProblem } from "@/server/start-problem";
import { plainEnvironment } from "./plain-environment";

export interface Account {
  name: string;
  uid: number;
  gid: number;
}

const ownAccount = "gridloom-db";

/** Undefined: not root, so the server runs as whoever we are. */
export async function databaseAccount(dataDirectory: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(dataDirectory).catch(() => undefined);
  if (owner && owner.uid !== 0) return accountById(owner.uid) ?? chooseAccount();
  return chooseAccount();
}

function chooseAccount(): Account {
  const existing = accountByName("postgres") ?? accountByName(ownAccount);
  if (existing) return existing;
  // Debian and Red Hat have useradd; busybox has only adduser, with other options.
  const attempts: [string, string[]][] = [
    ["useradd", ["--system", "--user-group", "--no-create-home", "--shell", "/bin/false", ownAccount]],
    ["adduser", ["-S", "-D", "-H", "-s", "/bin/false", ownAccount]],
  ];
  for (const [program, options] of attempts) {
    spawnSync(program, options, { stdio: "ignore", env: plainEnvironment });
    const made = accountByName(ownAccount);
    if (made) return made;
  }
  throw new StartProblem(
    `PostgreSQL cannot run as root, and the account ${ownAccount} could not be made for it. ` +
      `Make it yourself (useradd --system ${ownAccount}), start as an ordinary user, or set DATABASE_URL.`,
  );
}

function accountByName(name: string): Account | undefined {
  return lookUp(name);
}

function accountById(uid: number): Account | undefined {
  return lookUp(String(uid));
}

/** `id` asks the system's own directory (files, LDAP, …), unlike reading /etc/passwd. */
function lookUp(nameOrId: string): Account | undefined {
  const ask = (option: string) => {
    const { status, stdout } = spawnSync("id", [...option.split(" "), nameOrId], { encoding: "utf8" });
    return status === 0 ? stdout.trim() : undefined;
  };
  const uid = ask("-u");
  const gid = ask("-g");
  const name = ask("-u -n");
  if (!uid || !gid || !name || Number(uid) === 0) return undefined;
  return { name, uid: Number(uid), gid: Number(gid) };
}
