/**
 * The machine's processes, as /proc tells them. Ownership is read from `status`, never from the owner of the
 * directory: a process may make itself undumpable and its directory then belongs to root.
 */
import { openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";

export interface Process {
  pid: number;
  parent: number;
  uid: number;
  /** Memory only this process would give back: not the files it maps. */
  memoryBytes: number;
}

/** Every living process. Yields now and then, because a large machine has thousands. */
export async function listProcesses(): Promise<Process[]> {
  const processes: Process[] = [];
  let seen = 0;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const found = readProcess(pid);
    if (found) processes.push(found);
    if (++seen % 64 === 0) await setImmediate();
  }
  return processes;
}

/** Undefined when there is no such process, or only its remains (a zombie runs nothing and holds nothing). */
export function readProcess(pid: number): Process | undefined {
  const status = readStatus(`/proc/${pid}/status`);
  const found = status === undefined ? undefined : parseStatus(pid, status);
  // Its first thread has ended and with it the process seems to; the others still have the memory.
  if (found && status !== undefined && isEnded(status)) found.memoryBytes = memoryByThreads(pid);
  return found;
}

function readStatus(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

export function parseStatus(pid: number, status: string): Process | undefined {
  if (isEnded(status) && !(Number(field(status, "Threads")) > 1)) return undefined;
  return {
    pid,
    parent: Number(field(status, "PPid")),
    uid: Number.parseInt(field(status, "Uid") ?? "", 10),
    memoryBytes: memoryOf(status),
  };
}

function isEnded(status: string): boolean {
  // The name comes first and is the process's own choice, newlines escaped; the fields follow it.
  const state = field(status, "State");
  return state === undefined || state.startsWith("Z") || state.startsWith("X");
}

function memoryOf(status: string): number {
  const kilobytes = (name: string) => Number.parseInt(field(status, name) ?? "0", 10);
  return Math.max(0, kilobytes("VmRSS") - kilobytes("RssFile")) * 1024;
}

/** All threads share one memory, so the first that lives tells it. */
function memoryByThreads(pid: number): number {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return 0;
  }
  for (const thread of threads) {
    const status = readStatus(`/proc/${pid}/task/${thread}/status`);
    if (status !== undefined && !isEnded(status)) return memoryOf(status);
  }
  return 0;
}

function field(status: string, name: string): string | undefined {
  const at = status.indexOf(`\n${name}:\t`);
  if (at < 0) return undefined;
  const start = at + name.length + 3;
  const end = status.indexOf("\n", start);
  return status.slice(start, end < 0 ? undefined : end).trim();
}

export function descendantsOf(ancestor: number, processes: readonly Process[]): Process[] {
  const children = new Map<number, Process[]>();
  for (const process of processes) {
    const siblings = children.get(process.parent);
    if (siblings) siblings.push(process);
    else children.set(process.parent, [process]);
  }
  const found: Process[] = [];
  const look = [ancestor];
  for (let pid = look.pop(); pid !== undefined; pid = look.pop()) {
    for (const child of children.get(pid) ?? []) {
      found.push(child);
      look.push(child.pid);
    }
  }
  return found;
}

/** The number given to the youngest process so far. Numbers go up and start again at `pid_max`. */
export function youngestPid(): number {
  load ??= new KernelTable("/proc/loadavg");
  return Number(load.read().trim().split(" ").at(-1));
}

let load: KernelTable | undefined;

/** A file the kernel makes up when it is read, kept open for those who read it again and again. */
export class KernelTable {
  readonly #file: number;
  #buffer = Buffer.alloc(4096);

  constructor(path: string) {
    this.#file = openSync(path, "r");
  }

  read(): string {
    let length = 0;
    for (;;) {
      const got = readSync(this.#file, this.#buffer, length, this.#buffer.length - length, length);
      length += got;
      if (got === 0) return this.#buffer.toString("latin1", 0, length);
      if (length === this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer, Buffer.alloc(length)]);
    }
  }
}

/** The number at which they start again; NaN if the system does not say. */
export function highestPid(): number {
  try {
    return Number(readFileSync("/proc/sys/kernel/pid_max", "latin1"));
  } catch {
    return Number.NaN;
  }
}

/** When the process started, in a form to compare only; undefined when it is gone. */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    return `${bootId()}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

let boot: string | undefined;
function bootId(): string {
  boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  return boot;
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already, which is what was wanted.
  }
}
