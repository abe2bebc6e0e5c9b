/**
 * Which shim the slots get: the Perl one where a try shows that it does what it should, else the one in plain shell. The
 * try runs a program through it and looks at what the kernel says of that program: account, groups, rights, limits.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Account } from "./isolation/isolation";
import { log, sentenceOf } from "./log";
import { shim } from "./shim";
import { perlShim } from "./shim-perl";
import { ShimProcess } from "./shim-process";

/** How to start it. */
export interface Shim {
  words: readonly string[];
  /** Whether it takes a task's account itself; else words of the command must. */
  takesAccounts: boolean;
}

const patienceMs = 5_000;

export async function chooseShim(directory: string, account: Account | undefined): Promise<Shim> {
  const perl: Shim = {
    words: ["perl", installScript(join(directory, "shim.pl"), perlShim)],
    takesAccounts: true,
  };
  const plain: Shim = { words: ["/bin/sh", installScript(join(directory, "shim.sh"), shim)], takesAccounts: false };
  try {
    const fault = await whyUnfit(perl, join(directory, "shim-try"), account);
    if (fault === undefined) return perl;
    log(`tasks are started by the plain shim: ${fault}`);
  } catch (error) {
    log(`tasks are started by the plain shim: ${sentenceOf(error)}`);
  }
  return plain;
}

/** Under a new inode: a shell that runs reads its script bit by bit, and an older shim may still run from the old one. */
export function installScript(path: string, text: string): string {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return path;
}

async function whyUnfit(candidate: Shim, spool: string, account: Account | undefined): Promise<string | undefined> {
  rmSync(spool, { recursive: true, force: true });
  mkdirSync(spool, { mode: 0o700 });
  const process = await ShimProcess.start(candidate);
  try {
    const run = process.run({
      spool,
      words: ["cat", "/proc/self/status", "/proc/self/limits"],
      environment: { PATH: "/usr/bin:/bin" },
      workingDirectory: "/",
      fileBytes: 1024 * 1024,
      mostProcesses: account && 4321,
      before: [],
      afterwards: [],
      mergeErrors: false,
      account,
    });
    const answer = await Promise.race([run, delay(patienceMs, "silent" as const, { ref: false })]);
    if (answer !== 0) return `the one in Perl answered ${answer}`;
    const said = readFileSync(join(spool, "stdout"), "latin1");
    const wrong = expected(account).find((line) => !line.test(said));
    return wrong && `the one in Perl gave a program other rights (${wrong.source})`;
  } finally {
    process.end();
    rmSync(spool, { recursive: true, force: true });
  }
}

function expected(account: Account | undefined): RegExp[] {
  const common = [/^Max file size +1048576 +1048576 /m, /^Max core file size +0 +0 /m];
  if (!account) return common;
  const { uid, gid } = account;
  return [
    ...common,
    new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}$`, "m"),
    new RegExp(`^Gid:\\t${gid}\\t${gid}\\t${gid}\\t${gid}$`, "m"),
    new RegExp(`^Groups:\\t(?:${gid})? ?$`, "m"),
    /^NoNewPrivs:\t1$/m,
    /^CapPrm:\t0+$/m,
    /^CapEff:\t0+$/m,
    /^CapAmb:\t0+$/m,
    /^Max processes +4321 +4321 /m,
  ];
}
