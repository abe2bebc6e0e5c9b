/**
 * What a resource selector prints (GridWay, section 3.2): one candidate a line, best first, as `HOST RANK` or in the paper's words
 * `STAGING-SERVICE EXECUTION-SERVICE RANK SLOTS ARCHITECTURE`. A service is named by its host; what follows the host's name in it
 * (a port, a queue) is not ours to use.
 */
import type { Candidate } from "@/core/protocol/agent";

const mostCandidates = 500;

export function readCandidates(printed: string): Candidate[] {
  const candidates: Candidate[] = [];
  for (const line of printed.split("\n")) {
    const words = line.trim().split(/\s+/);
    const [host, rank] = words.length >= 3 ? [words[1], words[2]] : words;
    if (!host || candidates.length >= mostCandidates) continue;
    // Without a rank the order counts.
    const number =
      rank === undefined || !Number.isFinite(Number(rank)) ? mostCandidates - candidates.length : Number(rank);
    candidates.push({ host: hostOf(host), rank: number });
  }
  // Best first, and in their order where they rank alike.
  return candidates.filter(({ host }) => host !== "").sort((a, b) => b.rank - a.rank);
}

/** `gsiftp://host:2811/`, `host/jobmanager-pbs`, `host` */
function hostOf(service: string): string {
  return (
    service
      .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
      .split(/[/:]/)[0]
      ?.slice(0, 255) ?? ""
  );
}
