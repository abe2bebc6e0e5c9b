/**
 * What other systems call the attributes of a host → what HTCondor calls them, which is what hosts are described
 * with here. Sizes of memory and disk: HTCondor's Memory is in MB like the others', its Disk in KB, hence the factor.
 */
export interface MappedAttribute {
  name: string;
  /** Our value divided by this is theirs. */
  divisor?: number;
}

const gridway: Readonly<Record<string, MappedAttribute>> = {
  HOSTNAME: { name: "Machine" },
  ARCH: { name: "Arch" },
  OS_NAME: { name: "OpSys" },
  OS_VERSION: { name: "OpSysVersion" },
  CPU_MODEL: { name: "CpuModel" },
  CPU_MHZ: { name: "CpuMHz" },
  CPU_FREE: { name: "CpuFree" },
  CPU_SMP: { name: "Cpus" },
  NODECOUNT: { name: "NodeCount" },
  SIZE_MEM_MB: { name: "Memory" },
  FREE_MEM_MB: { name: "FreeMemory" },
  SIZE_DISK_MB: { name: "TotalDisk", divisor: 1024 },
  FREE_DISK_MB: { name: "Disk", divisor: 1024 },
  FORK_NAME: { name: "ForkName" },
  LRMS_NAME: { name: "LrmsName" },
  LRMS_TYPE: { name: "LrmsType" },
  QUEUE_NAME: { name: "QueueName" },
  QUEUE_NODECOUNT: { name: "QueueNodeCount" },
  QUEUE_FREENODECOUNT: { name: "QueueFreeNodeCount" },
  QUEUE_MAXTIME: { name: "QueueMaxTime" },
  QUEUE_MAXCPUTIME: { name: "QueueMaxCpuTime" },
  QUEUE_MAXCOUNT: { name: "QueueMaxCount" },
  QUEUE_MAXRUNNINGJOBS: { name: "QueueMaxRunningJobs" },
  QUEUE_MAXJOBSINQUEUE: { name: "QueueMaxJobsInQueue" },
  QUEUE_STATUS: { name: "QueueStatus" },
  QUEUE_DISPATCHTYPE: { name: "QueueDispatchType" },
  QUEUE_PRIORITY: { name: "QueuePriority" },
};

/** The MDS 2 schema of the Globus Toolkit, as LDAP filters name it. */
const mds: Readonly<Record<string, MappedAttribute>> = {
  "mds-host-hn": { name: "Machine" },
  "mds-computer-isa": { name: "Arch" },
  "mds-computer-platform": { name: "Arch" },
  "mds-os-name": { name: "OpSys" },
  "mds-os-release": { name: "OpSysVersion" },
  "mds-os-version": { name: "OpSysVersion" },
  "mds-cpu-model": { name: "CpuModel" },
  "mds-cpu-speedmhz": { name: "CpuMHz" },
  "mds-cpu-total-count": { name: "Cpus" },
  "mds-cpu-smp-size": { name: "Cpus" },
  "mds-memory-ram-total-sizemb": { name: "Memory" },
  "mds-memory-ram-sizemb": { name: "Memory" },
  "mds-memory-ram-freemb": { name: "FreeMemory" },
  "mds-memory-ram-total-freemb": { name: "FreeMemory" },
  "mds-fs-freemb": { name: "Disk", divisor: 1024 },
  "mds-fs-total-freemb": { name: "Disk", divisor: 1024 },
  "mds-fs-sizemb": { name: "TotalDisk", divisor: 1024 },
  "mds-fs-total-sizemb": { name: "TotalDisk", divisor: 1024 },
};

const gridadl: Readonly<Record<string, MappedAttribute>> = {
  sysop: { name: "OpSys" },
  arch: { name: "Arch" },
  cpus: { name: "Cpus" },
  memory: { name: "Memory" },
};

const own = (table: Readonly<Record<string, MappedAttribute>>, key: string): MappedAttribute | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

export const gridwayAttribute = (name: string): MappedAttribute => own(gridway, name.toUpperCase()) ?? { name };
export const mdsAttribute = (name: string): MappedAttribute => own(mds, name.toLowerCase()) ?? { name };
export const gridadlAttribute = (name: string): MappedAttribute => own(gridadl, name.toLowerCase()) ?? { name };
