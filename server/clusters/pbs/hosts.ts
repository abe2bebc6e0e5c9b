/** What `pbsnodes -a -F json` tells of nodes. */
import { z } from "zod";
import { readJson } from "../batch/json";
import type { DiscoveredHost, HostReading } from "../driver";
import { discoveredHost } from "../host-facts";

const value = z.union([z.string(), z.number()]);
const toldNodes = z.object({
  nodes: z.record(
    z.string(),
    z.object({
      state: z.string(),
      pcpus: z.coerce.number().optional(),
      comment: z.string().optional(),
      resources_available: z.record(z.string(), value).default({}),
      resources_assigned: z.record(z.string(), value).default({}),
    }),
  ),
});

function nodes(stdout: string) {
  return Object.entries(readJson(stdout, toldNodes, "pbsnodes -F json of PBS").nodes);
}

export function parseHosts(stdout: string): DiscoveredHost[] {
  return nodes(stdout).map(([name, { pcpus, resources_available: has }]) => {
    const memoryBytes = bytesOf(has.mem);
    const gpus = Number(has.ngpus ?? 0);
    return discoveredHost({
      name,
      cpus: Number(has.ncpus ?? pcpus ?? 1),
      ...(memoryBytes !== undefined && { memoryBytes }),
      // PBS calls the system an architecture.
      ...(has.arch !== undefined && { os: String(has.arch) }),
      more: { ...(gpus > 0 && { Gpus: gpus }) },
    });
  });
}

export function parseReadings(stdout: string): HostReading[] {
  return nodes(stdout).map(([name, { state, pcpus, comment, resources_available: has, resources_assigned: given }]) => {
    const up = state
      .split(",")
      .every((word) => ["free", "job-busy", "job-exclusive", "busy", "resv-exclusive"].includes(word.trim()));
    const freeCpus = up ? Math.max(0, Number(has.ncpus ?? pcpus ?? 0) - Number(given.ncpus ?? 0)) : 0;
    const total = bytesOf(has.mem);
    const freeMemoryBytes = total === undefined ? undefined : total - (bytesOf(given.mem) ?? 0);
    return {
      name,
      up,
      freeCpus,
      ...(freeMemoryBytes !== undefined && { freeMemoryBytes }),
      ...(!up && { reason: comment ? `${state}: ${comment}` : state }),
      attributes: { State: state, FreeCpus: freeCpus },
    };
  });
}

/** `8002168kb`, `16gb`, `1024` */
function bytesOf(text: string | number | undefined): number | undefined {
  const match = /^(\d+)([kmgt]?)b?$/i.exec(String(text ?? ""));
  return match ? Number(match[1]) * 1024 ** " kmgt".indexOf((match[2] || " ").toLowerCase()) : undefined;
}
