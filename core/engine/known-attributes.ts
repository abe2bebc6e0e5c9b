/**
 * The attributes expressions can ask for (GB-3), with what people want to know of each: for forms, completion and
 * explanations. Hosts may tell more (tags, discovered attributes); expressions see those too.
 */
export interface KnownAttribute {
  name: string;
  about: string;
  is: "number" | "text" | "truth";
  unit?: string;
  /** Values that are usual, where there are few. */
  values?: readonly string[];
  /** Told by the host, kept by the engine about it, or of the run and its tasks. */
  of: "host" | "record" | "task" | "run";
}

const host = (
  name: string,
  is: KnownAttribute["is"],
  about: string,
  more: Partial<KnownAttribute> = {},
): KnownAttribute => ({
  name,
  is,
  about,
  of: "host",
  ...more,
});
const record = (name: string, about: string, unit?: string): KnownAttribute => ({
  name,
  is: "number",
  about,
  of: "record",
  ...(unit && { unit }),
});

export const knownAttributes: readonly KnownAttribute[] = [
  host("Memory", "number", "Memory of the host.", { unit: "MB" }),
  host("FreeMemory", "number", "Memory nobody uses now.", { unit: "MB" }),
  host("Cpus", "number", "Cores the host gives to tasks."),
  host("Arch", "text", "Kind of processor.", { values: ["X86_64", "aarch64", "INTEL"] }),
  host("OpSys", "text", "Operating system.", { values: ["LINUX", "macOS", "WINDOWS", "FREEBSD"] }),
  host("OpSysVersion", "text", "Its version."),
  host("Machine", "text", "Name of the host."),
  host("ClusterName", "text", "Cluster the host belongs to; Grid is the same."),
  host("CpuModel", "text", "Name of the processor."),
  host("CpuMHz", "number", "Clock of the processor.", { unit: "MHz" }),
  host("KFlops", "number", "Floating point speed, as the agent measured it.", { unit: "kflop/s" }),
  host("Mips", "number", "Integer speed, as the agent measured it.", { unit: "million/s" }),
  host("LoadAvg", "number", "Programs that want to run, over the last minute."),
  host("CpuFree", "number", "100 for each core that has nothing to do.", { unit: "%" }),
  host("Disk", "number", "Disk space that is free.", { unit: "KB" }),
  host("TotalDisk", "number", "Disk space altogether.", { unit: "KB" }),
  host("RemainingSeconds", "number", "How long the host can still be used.", { unit: "s" }),
  record("ErrorRate", "Share of attempts that failed there lately, from 0 to 1."),
  record("AverageTurnaround", "From sending an attempt there to its result, in the mean.", "s"),
  record("JobsToday", "Attempts that ended there today."),
  record("RecentCpuTime", "What tasks used there lately.", "s"),
  record("RunningJobs", "Attempts that are there now."),
  record("FreeSlots", "Cores that could be given a task now."),
  { name: "RequestCpus", is: "number", about: "Cores the task asks for.", of: "task" },
  { name: "RequestMemory", is: "number", unit: "MB", about: "Memory the task asks for.", of: "task" },
  { name: "NumberOfReplicas", is: "number", about: "Attempts at the task that are under way.", of: "task" },
  { name: "JobsLeft", is: "number", about: "Tasks of the run that are not finished.", of: "run" },
  { name: "JobsDone", is: "number", about: "Tasks of the run that are finished.", of: "run" },
  { name: "Tail", is: "truth", about: "Whether few tasks of the run are unsent.", of: "run" },
  { name: "BOTsInQueue", is: "number", about: "Runs that are active.", of: "run" },
];

const byName = new Map(knownAttributes.map((attribute) => [attribute.name.toLowerCase(), attribute]));

/** By its name, also with what it belongs to (`Host.Memory`), in any case. */
export function knownAttribute(name: string): KnownAttribute | undefined {
  return byName.get(
    name
      .slice(name.lastIndexOf(".") + 1)
      .trim()
      .toLowerCase(),
  );
}

export interface RankPreset {
  name: string;
  label: string;
  /** Empty: no rank, the preference of GR-7 by its weights decides. */
  expression: string;
}

export const rankPresets: readonly RankPreset[] = [
  { name: "preference", label: "GRAND preference, by the weights below", expression: "" },
  { name: "fastest", label: "Fastest", expression: "KFlops" },
  { name: "least-loaded", label: "Least loaded", expression: "-LoadAvg / Cpus" },
  // GridWay (000, section 4.2): FLOPS · min(1, free CPU).
  { name: "gridway", label: "GridWay: speed × free CPU", expression: "KFlops * min({1.0, CpuFree / 100.0})" },
  // Execution + transfer time, the shorter the better; for the speed and turnaround known of the host.
  { name: "turnaround", label: "Shortest time to a result", expression: "-(AverageTurnaround ?: 0)" },
  { name: "reliable", label: "Most reliable", expression: "1 - ErrorRate" },
  { name: "memory", label: "Most free memory", expression: "FreeMemory ?: Memory" },
];
