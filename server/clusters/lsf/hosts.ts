/** What lshosts, bhosts and lsload tell of hosts, as tables with a line of headings. */
import type { DiscoveredHost, HostReading } from "../driver";
import { discoveredHost } from "../host-facts";

type Row = ReadonlyMap<string, string>;

function rows(stdout: string): Row[] {
  const [head = "", ...lines] = stdout.split("\n").filter((line) => line.trim() !== "");
  const names = head.trim().split(/\s+/);
  return lines.map((line) => {
    const cells = line.trim().split(/\s+/);
    return new Map(names.map((name, at) => [name, cells[at] ?? "-"]));
  });
}

export function parseHosts(lshosts: string): DiscoveredHost[] {
  return rows(lshosts).flatMap((row) => {
    const name = row.get("HOST_NAME");
    // Clients, and hosts that were never up, have no cores.
    if (!name || row.get("server") === "No" || !/^\d+$/.test(row.get("ncpus") ?? "")) return [];
    const memoryBytes = bytesOf(row.get("maxmem"));
    const type = row.get("type") ?? "";
    return [
      discoveredHost({
        name,
        cpus: Number(row.get("ncpus")),
        ...(memoryBytes !== undefined && { memoryBytes }),
        // `X86_64`, `LINUXPPC64LE`
        ...(/x86_64|linux/i.test(type) && { os: "Linux" }),
        ...(/x86_64/i.test(type) && { arch: "x86_64" }),
        cpuModel: row.get("model") ?? "",
      }),
    ];
  });
}

export function parseReadings(bhosts: string, lsload: string): HostReading[] {
  const loads = new Map(rows(lsload).map((row) => [row.get("HOST_NAME") ?? "", row]));
  return rows(bhosts).flatMap((row) => {
    const name = row.get("HOST_NAME");
    if (!name) return [];
    const status = row.get("STATUS") ?? "";
    // `closed_Full` is up and busy; the other closed ones take no jobs.
    const up = status === "ok" || status === "closed_Full" || status === "closed_Excl";
    const most = Number(row.get("MAX"));
    const freeCpus = up && Number.isInteger(most) ? Math.max(0, most - Number(row.get("NJOBS") ?? 0)) : undefined;
    const told = loads.get(name);
    const load = /^\d+(\.\d+)?$/.test(told?.get("r1m") ?? "") ? Number(told?.get("r1m")) : undefined;
    const freeMemoryBytes = bytesOf(told?.get("mem"));
    return [
      {
        name,
        up,
        ...(freeCpus !== undefined && { freeCpus }),
        ...(load !== undefined && { load }),
        ...(freeMemoryBytes !== undefined && { freeMemoryBytes }),
        ...(!up && { reason: status }),
        attributes: {
          State: status,
          ...(load !== undefined && { LoadAvg: load }),
          ...(freeCpus !== undefined && { FreeCpus: freeCpus }),
        },
      },
    ];
  });
}

/** `3.8G`, `512M`, `1000` (megabytes) */
function bytesOf(text: string | undefined): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([KMGT]?)$/.exec(text ?? "");
  return match ? Math.round(Number(match[1]) * 1024 ** " KMGT".indexOf(match[2] || "M")) : undefined;
}
