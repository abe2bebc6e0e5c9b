/**
 * Accounts for the local cluster's slots, when the portal is started by root: `gridloom1`, `gridloom2`, …, one for each slot.
 *
 * The machine may hold several installations, and whoever uses an account kills its processes. So an account
 * belongs to one installation at a time, by a claim: a file of the account's name, holding the directory of the
 * installation. A claim comes into being whole, by linking; when its installation's directory is gone, the next one takes
 * it over, after ending whatever still runs under the account.
 */
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asAccount, tryProgram } from "./try-program";

export interface SlotAccount {
  name: string;
  uid: number;
  gid: number;
}

export interface SlotAccounts {
  accounts: SlotAccount[];
  /** Something the admin should know. */
  warning: string | undefined;
}

const usualPlace = { claims: "/var/lib/gridloom-accounts", prefix: "gridloom" };
const mostAccounts = 1024;
/** Numbers nobody gives out (between systemd's home and dynamic users), for systems on which no account can be made. */
const firstBareId = 60_578;
const bareIds = 128;
/** A take-over lasts moments; an older mark was left by one that was killed. */
const takeOverMs = 60_000;

export function claimSlotAccounts(home: string, count: number, { claims, prefix } = usualPlace): SlotAccounts {
  mkdirSync(claims, { recursive: true, mode: 0o755 });
  const accounts: SlotAccount[] = [];
  let bare = 0;
  for (let number = 1; accounts.length < count && number <= mostAccounts; number++) {
    const name = `${prefix}${number}`;
    const claim = join(claims, name);
    if (!mayTry(claim, home)) continue;
    const account = findAccount(name) ?? makeAccount(name) ?? bareAccount(number);
    if (!account) break;
    if (!claimAccount(claim, home, account)) continue;
    if (account.name !== name) bare++;
    accounts.push(account);
  }
  const warning =
    bare > 0
      ? "Accounts for the slots could not be made here (neither useradd nor adduser worked), so unused account numbers are used instead; keep them free."
      : undefined;
  return { accounts, warning };
}

/** A first look without effect, so that no account is made for a number that belongs to somebody else. */
function mayTry(claim: string, home: string): boolean {
  const holder = holderOf(claim);
  return holder === undefined || holder === home || !existsSync(holder);
}

function claimAccount(claim: string, home: string, account: SlotAccount): boolean {
  const mine = `${claim}.${process.pid}`;
  writeFileSync(mine, `${home}\n`, { mode: 0o644 });
  try {
    if (linkIfAbsent(mine, claim)) return true;
    const holder = holderOf(claim);
    if (holder === home) return true;
    if (holder === undefined || existsSync(holder)) return false;
    return takeOver(claim, mine, account);
  } finally {
    rmSync(mine, { force: true });
  }
}

/** One at a time: of two that find the same abandoned claim, one gets it. */
function takeOver(claim: string, mine: string, account: SlotAccount): boolean {
  const mark = `${claim}.taking`;
  const left = statSync(mark, { throwIfNoEntry: false });
  if (left && left.mtimeMs < Date.now() - takeOverMs) rmSync(mark, { force: true });
  if (!linkIfAbsent(mine, mark)) return false;
  try {
    const holder = holderOf(claim);
    if (holder === undefined || existsSync(holder)) return false;
    tryProgram(asAccount(account, ["/bin/sh", "-c", "kill -9 -1"]));
    renameSync(mine, claim);
    return true;
  } finally {
    rmSync(mark, { force: true });
  }
}

function linkIfAbsent(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function holderOf(claim: string): string | undefined {
  try {
    return readFileSync(claim, "utf8").trimEnd();
  } catch {
    return undefined;
  }
}

/** `id` asks the system's own directory, unlike reading /etc/passwd. */
function findAccount(name: string): SlotAccount | undefined {
  const uid = Number(tryProgram(["id", "-u", name]).output);
  const gid = Number(tryProgram(["id", "-g", name]).output);
  return uid > 0 && gid > 0 ? { name, uid, gid } : undefined;
}

/** Debian and Red Hat have useradd; busybox has adduser, with other options. */
function makeAccount(name: string): SlotAccount | undefined {
  const shell = ["/usr/sbin/nologin", "/sbin/nologin"].find((path) => existsSync(path)) ?? "/bin/false";
  const useradd = ["useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"];
  if (!tryProgram([...useradd, "--shell", shell, name]).succeeded) {
    tryProgram(["addgroup", "-S", name]);
    tryProgram(["adduser", "-S", "-D", "-H", "-s", shell, "-G", name, name]);
  }
  return findAccount(name);
}

function bareAccount(number: number): SlotAccount | undefined {
  if (number > bareIds) return undefined;
  const id = firstBareId + number - 1;
  const taken = tryProgram(["id", "-u", "-n", String(id)]).succeeded;
  return taken ? undefined : { name: String(id), uid: id, gid: id };
}
