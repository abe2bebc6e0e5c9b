/** What a plain host tells of its agents and of itself. */
import type { ClusterJob, DiscoveredHost, HostReading } from "../driver";
import { isAgentId, jobName } from "../driver";
import { discoveredHost } from "../host-facts";

/** An agent without a process number after this long was never started. */
const startingSeconds = 60;

export function parseAgents(stdout: string): ClusterJob[] {
  const lines = stdout.split("\n").map((line) => line.split(" "));
  const head = lines.find(([word]) => word === "now");
  if (!head) return [];
  const [, now = "", boot = "", host = ""] = head;
  return lines.flatMap(([word, agent = "", ...told]) =>
    word === "agent" && isAgentId(agent) ? [agentJob(agent, told, { boot, host, now: Number(now) })] : [],
  );
}

function agentJob(
  agent: string,
  told: readonly string[],
  here: { boot: string; host: string; now: number },
): ClusterJob {
  const [
    pid = "-",
    began = "-",
    boot = "-",
    code = "-",
    at = "-",
    alive = "-",
    state = "-",
    cancelled = "-",
    age = "0",
  ] = told;
  const job = { job: agent, name: jobName(agent), agent, host: here.host };
  const ours = cancelled === "yes";
  if (code !== "-") return { ...job, ...ending(Number(code), ours), ...(at !== "-" && { since: Number(at) * 1000 }) };
  if (pid === "-") {
    if (Number(age) < startingSeconds) return { ...job, state: "queued" };
    return { ...job, state: ours ? "cancelled" : "failed", reason: "it was never started" };
  }
  if (boot !== here.boot) return { ...job, state: "node-lost", reason: "the host was started again" };
  if (alive !== began) {
    return { ...job, state: ours ? "cancelled" : "failed", reason: "it was killed and left no exit code" };
  }
  return { ...job, state: state === "T" || state === "t" ? "suspended" : "running" };
}

/** A shell tells a signal as 128 more than its number. */
function ending(code: number, ours: boolean): Pick<ClusterJob, "state" | "exitCode" | "signal"> {
  const end = code > 128 ? { signal: code - 128 } : { exitCode: code };
  if (code === 0) return { state: "completed", ...end };
  if (ours) return { state: "cancelled", ...end };
  // Nobody but the account's owner can send these.
  return { state: [1, 2, 9, 15].includes(code - 128) ? "cancelled-by-owner" : "failed", ...end };
}

export function parseHost(stdout: string): { host: DiscoveredHost; reading: HostReading } | undefined {
  const told = new Map<string, string>();
  for (const line of stdout.split("\n")) {
    const at = line.indexOf(" ");
    if (at > 0) told.set(line.slice(0, at), line.slice(at + 1).trim());
  }
  const name = told.get("name");
  const cpus = Number(told.get("cpus"));
  if (!name || !(cpus > 0)) return undefined;
  const bytes = (key: string) => (told.has(key) ? Number(told.get(key)) * 1024 : undefined);
  const memoryBytes = bytes("MemTotal");
  const freeMemoryBytes = bytes("MemAvailable") ?? bytes("MemFree");
  const load = told.has("load") ? Number(told.get("load")) : undefined;
  const freeCpus = load === undefined ? undefined : Math.max(0, Math.floor(cpus - load + 0.5));
  const host = discoveredHost({
    name,
    cpus,
    ...(memoryBytes !== undefined && { memoryBytes }),
    arch: told.get("machine") ?? "",
    os: told.get("system") ?? "",
    cpuModel: told.get("model") ?? "",
  });
  const reading = {
    name,
    up: true,
    ...(freeCpus !== undefined && { freeCpus }),
    ...(load !== undefined && { load }),
    ...(freeMemoryBytes !== undefined && { freeMemoryBytes }),
    attributes: {
      ...(load !== undefined && { LoadAvg: load }),
      ...(freeCpus !== undefined && { FreeCpus: freeCpus }),
      ...(freeMemoryBytes !== undefined && { FreeMemory: Math.floor(freeMemoryBytes / 1024 ** 2) }),
    },
  };
  return { host, reading };
}
