/**
 * What a task can leave outside its directory although it has an account of its own: files where everybody may write, and
 * objects of the System V kind, which belong to the system and not to a process. The slot's next task, somebody else's, has
 * the same account and must not find them.
 */
import { lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { log, sentenceOf } from "../log";
import { KernelTable } from "../processes";
import { removeAwkwardTree } from "../remove-tree";
import { runProgram } from "../run-program";

const sharedDirectories = ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock"];

export async function removeLeftovers(uid: number, since: number): Promise<void> {
  for (const path of await filesElsewhere(uid, since)) {
    try {
      // A directory there may be open to others, who could put a link in its place: not to be walked by path.
      if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) await removeAwkwardTree(path);
      else rmSync(path, { force: true });
    } catch (error) {
      log(`${path} of an ended task could not be removed: ${sentenceOf(error)}`);
    }
  }
  const words = sharedObjects(uid).flatMap(({ option, id }) => [option, id]);
  if (words.length === 0) return;
  const { code, complaint } = await runProgram(["ipcrm", ...words]);
  if (code !== 0) log(`shared objects of an ended task could not be removed: ${complaint.trim()}`);
}

/** The account's own entries in the directories everybody may write to, if something was put there since. */
export async function filesElsewhere(uid: number, since: number): Promise<string[]> {
  const found: string[] = [];
  let seen = 0;
  for (const directory of sharedDirectories) {
    const state = statSync(directory, { throwIfNoEntry: false });
    // A directory's own time changes when something is put in. File systems keep it by a coarse clock.
    if (!state || state.mtimeMs < since - 50) continue;
    for (const name of readdirSync(directory)) {
      if (++seen % 64 === 0) await setImmediate();
      const path = join(directory, name);
      if (lstatSync(path, { throwIfNoEntry: false })?.uid === uid) found.push(path);
    }
  }
  return found;
}

const objectKinds = [
  { table: "shm", option: "-m" },
  { table: "sem", option: "-s" },
  { table: "msg", option: "-q" },
];

/** Whoever made an object can give it away, so its maker counts as well as its owner. */
function sharedObjects(uid: number): { option: string; id: string }[] {
  return objectKinds.flatMap(({ table, option }) => {
    const [header = "", ...rows] = readTable(`/proc/sysvipc/${table}`).split("\n");
    if (rows.length <= 1) return [];
    const names = header.trim().split(/\s+/);
    const columns = [names.indexOf("uid"), names.indexOf("cuid")];
    return rows.flatMap((row) => {
      const values = row.trim().split(/\s+/);
      const [, id] = values;
      return id !== undefined && columns.some((column) => values[column] === String(uid)) ? [{ option, id }] : [];
    });
  });
}

const tables = new Map<string, KernelTable>();

function readTable(path: string): string {
  try {
    let table = tables.get(path);
    if (!table) {
      table = new KernelTable(path);
      tables.set(path, table);
    }
    return table.read();
  } catch {
    // A kernel without such objects.
    return "";
  }
}
