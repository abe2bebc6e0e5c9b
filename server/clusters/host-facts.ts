/** Hosts that a scheduler describes, in the words requirements are written in. */
import { describeHost } from "@/core/engine/host-facts";
import type { Fact } from "@/core/engine/live-ad";
import type { DiscoveredHost } from "./driver";

export function discoveredHost(host: {
  name: string;
  cpus: number;
  memoryBytes?: number;
  arch?: string;
  os?: string;
  cpuModel?: string;
  more?: Readonly<Record<string, Fact | undefined>>;
}): DiscoveredHost {
  const { name, cpus, memoryBytes, arch, os, cpuModel = "", more = {} } = host;
  const { facts } = describeHost({
    os: os ?? "",
    arch: arch ?? "",
    cpus,
    cpuModel,
    memoryBytes: memoryBytes ?? 0,
    name,
  });
  const attributes: Record<string, Fact> = { Name: name };
  for (const [key, value] of Object.entries({ ...facts, ...more })) {
    // What is not known is not told, rather than told as empty or 0.
    if (value !== undefined && value !== "" && !(key === "Memory" && memoryBytes === undefined))
      attributes[key] = value;
  }
  return {
    name,
    cpus,
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(arch !== undefined && { arch }),
    ...(os !== undefined && { os }),
    attributes,
  };
}
