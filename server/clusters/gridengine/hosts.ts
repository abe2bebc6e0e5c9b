/** What `qhost -F -q -xml` tells of hosts. */
import { ClusterProblem } from "../cluster-problem";
import type { DiscoveredHost, HostReading } from "../driver";
import { discoveredHost } from "../host-facts";
import { findAll, parseXml, type XmlElement } from "../xml";

interface ToldHost {
  name: string;
  /** Load values of the host, without those that are `-`: not known, because it does not answer. */
  values: ReadonlyMap<string, string>;
  queues: { name: string; slots: number; used: number; state: string }[];
}

export function parseHosts(stdout: string, queue?: string): DiscoveredHost[] {
  return toldHosts(stdout, queue).map(({ name, values, queues }) => {
    const [os, arch] = (values.get("arch_string") ?? values.get("arch") ?? "").split("-");
    const memoryBytes = bytesOf(values.get("mem_total"));
    return discoveredHost({
      name,
      cpus: Number(values.get("num_proc")) || Math.max(1, ...queues.map(({ slots }) => slots)),
      ...(memoryBytes !== undefined && { memoryBytes }),
      // `lx-amd64`, in Univa's `ulx-amd64`
      ...(os && { os: /lx$|^lx|linux/.test(os) ? "Linux" : os }),
      ...(arch && { arch: arch === "amd64" ? "x86_64" : arch }),
      more: { Queues: queues.map((told) => told.name) },
    });
  });
}

export function parseHostReadings(stdout: string, queue?: string): HostReading[] {
  return toldHosts(stdout, queue).map(({ name, values, queues }) => {
    const load = numberOf(values.get("load_avg"));
    // u: does not answer, d: disabled, E: error, s: suspended, o: orphaned. a and A only say that it is loaded.
    const usable = queues.filter(({ state }) => !/[udEso]/.test(state));
    const up = load !== undefined && usable.length > 0;
    const freeCpus = usable.reduce((sum, { slots, used }) => sum + Math.max(0, slots - used), 0);
    const total = bytesOf(values.get("mem_total"));
    const used = bytesOf(values.get("mem_used"));
    const freeMemoryBytes =
      bytesOf(values.get("mem_free")) ?? (total !== undefined && used !== undefined ? total - used : undefined);
    const states = queues.map((told) => `${told.name} ${told.state || "ok"}`).join(", ");
    return {
      name,
      up,
      freeCpus: up ? freeCpus : 0,
      ...(load !== undefined && { load }),
      ...(freeMemoryBytes !== undefined && { freeMemoryBytes }),
      ...(!up && {
        reason: queues.length === 0 ? "in no queue" : load === undefined ? `does not answer (${states})` : states,
      }),
      attributes: {
        FreeCpus: up ? freeCpus : 0,
        ...(load !== undefined && { LoadAvg: load }),
        ...(freeMemoryBytes !== undefined && { FreeMemory: Math.floor(freeMemoryBytes / 1024 ** 2) }),
      },
    };
  });
}

function toldHosts(stdout: string, queue: string | undefined): ToldHost[] {
  const root = parseXml(stdout);
  if (!root) throw new ClusterProblem("unreadable", "qhost -xml of Grid Engine gave something that is no XML.");
  return findAll(root, "host").flatMap((element) => {
    const name = element.attributes.name ?? "";
    if (name === "" || name === "global") return [];
    const values = new Map<string, string>();
    for (const child of element.children) {
      const text = child.text.trim();
      const known = child.name === "hostvalue" || child.name === "resourcevalue";
      if (known && child.attributes.name && text !== "" && text !== "-") values.set(child.attributes.name, text);
    }
    const queues = findAll(element, "queue").map(toldQueue);
    const wanted = queue === undefined ? queues : queues.filter((told) => told.name === queue);
    return queue !== undefined && wanted.length === 0 ? [] : [{ name, values, queues: wanted }];
  });
}

function toldQueue(element: XmlElement): ToldHost["queues"][number] {
  const value = (name: string) => element.children.find((child) => child.attributes.name === name)?.text.trim() ?? "";
  const name = element.attributes.name ?? "";
  return {
    name,
    slots: Number(value("slots")) || 0,
    used: Number(value("slots_used")) || 0,
    state: value("state_string"),
  };
}

/** `23.5G`, `512.0M`, `0.0` */
function bytesOf(text: string | undefined): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([KMGT]?)$/i.exec(text ?? "");
  if (!match) return undefined;
  return Math.round(Number(match[1]) * 1024 ** " KMGT".indexOf((match[2] || " ").toUpperCase()));
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
