/** What scontrol and sinfo tell of nodes. */
import type { DiscoveredHost, HostReading } from "../driver";
import { discoveredHost } from "../host-facts";

const mebibyte = 1024 ** 2;

/** One line a node: `NodeName=n1 Arch=x86_64 … OS=Linux 6.1 #1 SMP … RealMemory=4000 …`; values may hold spaces. */
export function parseNodes(stdout: string, queue?: string): DiscoveredHost[] {
  return stdout.split("\n").flatMap((line) => {
    const told = keysAndValues(line);
    const name = told.get("NodeName");
    const partitions = words(told.get("Partitions"));
    if (name === undefined || (queue !== undefined && !partitions.includes(queue))) return [];
    const gpus = /gpu(?::[^:,(]+)?:(\d+)/.exec(told.get("Gres") ?? "")?.[1];
    const arch = told.get("Arch");
    // Down since the controller started: it never told its system.
    const os = told.get("OS")?.split(" ").slice(0, 2).join(" ");
    return [
      discoveredHost({
        name,
        cpus: Number(told.get("CPUEfctv") ?? told.get("CPUTot") ?? 1),
        memoryBytes: Number(told.get("RealMemory") ?? 0) * mebibyte,
        ...(arch !== undefined && { arch }),
        ...(os !== undefined && { os }),
        more: {
          Features: words(told.get("ActiveFeatures")),
          Queues: partitions,
          ...(gpus !== undefined && { Gpus: Number(gpus) }),
        },
      }),
    ];
  });
}

function keysAndValues(line: string): Map<string, string> {
  const told = new Map<string, string>();
  for (const part of line.trim().split(/\s+(?=[A-Za-z_]+=)/)) {
    const at = part.indexOf("=");
    const value = part.slice(at + 1).trim();
    if (at > 0 && value !== "" && value !== "(null)" && value !== "N/A") told.set(part.slice(0, at), value);
  }
  return told;
}

function words(list: string | undefined): string[] {
  return list === undefined ? [] : list.split(",");
}

/** `n1|idle|0/2/0/2|19951|0.79|none`, a node once for each of its partitions; cores are allocated/idle/other/total. */
export function parseReadings(stdout: string): HostReading[] {
  const readings = new Map<string, HostReading>();
  for (const line of stdout.split("\n")) {
    const [name = "", told = "", cores = "", free = "", load = "", reason = ""] = line.split("|");
    if (name === "" || readings.has(name)) continue;
    // `idle*`: does not answer. `mixed-`, `idle~`, …: power saving and the like.
    const state = told.toLowerCase();
    const word = state.replace(/[^a-z_]+$/, "");
    const up = !state.endsWith("*") && ["idle", "mixed", "allocated", "completing", "planned"].includes(word);
    const idle = Number(cores.split("/")[1]);
    const attributes = {
      State: state,
      ...(isNumber(load) && { LoadAvg: Number(load) }),
      ...(Number.isInteger(idle) && { FreeCpus: idle }),
      ...(isNumber(free) && { FreeMemory: Number(free) }),
    };
    readings.set(name, {
      name,
      up,
      ...(Number.isInteger(idle) && { freeCpus: up ? idle : 0 }),
      ...(isNumber(load) && { load: Number(load) }),
      ...(isNumber(free) && { freeMemoryBytes: Number(free) * mebibyte }),
      ...(!up && { reason: reason !== "" && reason !== "none" ? `${state}: ${reason}` : state }),
      attributes,
    });
  }
  return [...readings.values()];
}

function isNumber(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}
