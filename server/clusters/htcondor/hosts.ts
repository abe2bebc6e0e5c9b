/** What condor_status tells of slots, put together by machine. */
import { z } from "zod";
import { readJson } from "../batch/json";
import type { DiscoveredHost, HostReading } from "../driver";
import { discoveredHost } from "../host-facts";

const mebibyte = 1024 ** 2;

const toldSlots = z.array(
  z.object({
    Machine: z.string(),
    SlotType: z.string().optional(),
    Cpus: z.number().default(0),
    TotalCpus: z.number().optional(),
    Memory: z.number().default(0),
    TotalMemory: z.number().optional(),
    Arch: z.string().optional(),
    OpSys: z.string().optional(),
    State: z.string().default(""),
    LoadAvg: z.number().optional(),
    TotalGPUs: z.number().optional(),
  }),
);

type Slot = z.infer<typeof toldSlots>[number];

function byMachine(stdout: string): [machine: string, slots: Slot[]][] {
  const machines = new Map<string, Slot[]>();
  if (stdout.trim() === "") return [];
  for (const slot of readJson(stdout, toldSlots, "condor_status -json of HTCondor")) {
    machines.set(slot.Machine, [...(machines.get(slot.Machine) ?? []), slot]);
  }
  return [...machines];
}

export function parseHosts(stdout: string): DiscoveredHost[] {
  return byMachine(stdout).map(([name, slots]) => {
    const [first] = slots;
    const cpus = first?.TotalCpus ?? slots.reduce((sum, slot) => sum + slot.Cpus, 0);
    const memory = first?.TotalMemory ?? slots.reduce((sum, slot) => sum + slot.Memory, 0);
    return discoveredHost({
      name,
      cpus,
      memoryBytes: memory * mebibyte,
      ...(first?.Arch !== undefined && { arch: first.Arch }),
      ...(first?.OpSys !== undefined && { os: first.OpSys }),
      more: { ...(first?.TotalGPUs && { Gpus: first.TotalGPUs }) },
    });
  });
}

/** A slot that is not claimed is free; of a partitionable one, what it has left. */
export function parseReadings(stdout: string): HostReading[] {
  return byMachine(stdout).map(([name, slots]) => {
    const free = slots.filter(({ State, SlotType }) => State === "Unclaimed" || SlotType === "Partitionable");
    const up = slots.some(({ State }) => State === "Unclaimed" || State === "Claimed" || State === "Matched");
    const freeCpus = up ? free.reduce((sum, slot) => sum + slot.Cpus, 0) : 0;
    const freeMemoryBytes = free.reduce((sum, slot) => sum + slot.Memory, 0) * mebibyte;
    const load = slots.reduce((sum, slot) => sum + (slot.LoadAvg ?? 0), 0);
    const states = [...new Set(slots.map(({ State }) => State))].join(", ");
    return {
      name,
      up,
      freeCpus,
      load,
      freeMemoryBytes,
      ...(!up && { reason: states }),
      attributes: { State: states, FreeCpus: freeCpus, LoadAvg: load },
    };
  });
}
