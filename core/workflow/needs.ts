/**
 * What a task needs, as `name=value` words: `cores=4 memory=2GB time=1h disk=10GB processes=16 gpus=1 matlab=2
 * software=blast module=gcc/12 container=docker://alpine conda=rnaseq`. A name that is none of these is a countable thing
 * of a host, such as licences. Read and written here, so that every place that has a text for them has the same.
 */
import type { TaskTemplate } from "./application";

export type Resources = NonNullable<TaskTemplate["resources"]>;
/** Software by how it gets there: installed on the host, or brought by a module, a container or a conda environment. */
export interface Software {
  is: "installed" | "module" | "container" | "conda";
  name: string;
}

export interface Needs {
  resources?: Resources;
  software?: Software[];
}

const units: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };
const seconds: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 };
const largestCount = 1_000_000;

export function parseSize(text: string): number | undefined {
  const match = /^(\d{1,15}(?:\.\d{1,6})?)\s*([kmgt]?)i?b?$/i.exec(text.trim());
  const bytes = match ? Math.round(Number(match[1]) * (units[(match[2] ?? "").toLowerCase()] ?? 1)) : Number.NaN;
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}

export function parseDuration(text: string): number | undefined {
  const clock = /^(?:(\d{1,4}):)?(\d{1,4}):(\d{2})$/.exec(text.trim());
  if (clock) return Number(clock[1] ?? 0) * 3600 + Number(clock[2]) * 60 + Number(clock[3]) || undefined;
  const match = /^(\d{1,9}(?:\.\d{1,6})?)\s*([smhd]?)$/i.exec(text.trim());
  const length = match ? Number(match[1]) * (seconds[(match[2] ?? "").toLowerCase()] ?? 1) : 0;
  return length > 0 ? length : undefined;
}

/** Adds one word to what is known; a sentence if it cannot be read. */
export function addNeed(needs: Needs, word: string): string | undefined {
  const equals = word.indexOf("=");
  const name = word.slice(0, equals).trim();
  const value = word.slice(equals + 1).trim();
  if (equals < 1 || value === "") return `"${word}" is not NAME=VALUE, such as memory=2GB.`;
  const resources: Resources = { ...needs.resources };
  const key = name.toLowerCase();
  switch (key) {
    case "software":
    case "module":
    case "container":
    case "conda":
      // It becomes one word of a command that the agent runs.
      if (!/^[\w@%+=:,./~-]+$/.test(value) || value.startsWith("-")) return `"${value}" is no name of a ${key}.`;
      needs.software = [...(needs.software ?? []), { is: key === "software" ? "installed" : key, name: value }];
      return undefined;
    case "memory":
    case "disk": {
      const bytes = parseSize(value);
      if (bytes === undefined) return `"${value}" is no size such as 512MB or 2GB.`;
      if (key === "memory") resources.memoryBytes = bytes;
      else resources.diskBytes = bytes;
      break;
    }
    case "time": {
      const length = parseDuration(value);
      if (length === undefined) return `"${value}" is no time such as 90s, 15m, 2h or 1:30:00.`;
      resources.wallSeconds = length;
      break;
    }
    default: {
      const count = /^\d{1,7}$/.test(value) ? Number(value) : 0;
      if (count < 1 || count > largestCount) return `"${value}" is no whole number of ${name} from 1 on.`;
      if (key === "cores" || key === "gpus" || key === "processes") resources[key] = count;
      else if (!/^[A-Za-z_]\w{0,63}$/.test(name)) return `"${name}" is no name of something that is counted.`;
      else resources.named = { ...resources.named, [name]: count };
    }
  }
  needs.resources = resources;
  return undefined;
}

/** Words that `addNeed` reads back as the same. */
export function needWords({ resources = {}, software = [] }: Needs): string[] {
  const { cores, memoryBytes, diskBytes, wallSeconds, gpus, processes, named = {} } = resources;
  const words: [string, number | string | undefined][] = [
    ["cores", cores],
    ["processes", processes],
    ["memory", memoryBytes],
    ["time", wallSeconds],
    ["disk", diskBytes],
    ["gpus", gpus],
    ...Object.entries(named),
    ...software.map(({ is, name }): [string, string] => [is === "installed" ? "software" : is, name]),
  ];
  return words.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
}

/** What must be in a host's `Software` list for it. */
export function softwareMarks(software: readonly Software[]): string[] {
  return software.map(({ is, name }) => {
    if (is === "installed") return name;
    // Images are fetched by the runtime; modules and environments are the host's.
    return is === "container" ? "container" : `${is}:${name}`;
  });
}
