/**
 * Tasks that are no longer like the others of their kind: they changed what they need of a host while they ran (GW-2), moved
 * away from a host, or wait for a person (GW-11). Each has a lane of its own. What makes it particular may change only
 * while the task does not stand in that lane, that is, while it is not ready.
 */
import type { Candidate } from "@/core/protocol/agent";
import type { TaskProfile } from "./plan";

export interface Particular {
  /** In the place of what its description says. */
  requirement?: string;
  rank?: string;
  /** After its retries were used up: until a person lets it go on. */
  held: boolean;
  /** The host it left, by its record, and until when it is not to come back. */
  left: { host: string; until: number } | undefined;
}

export const nothingParticular: Particular = { held: false, left: undefined };

/** Lanes of one task are numbered below zero, those of kinds of tasks from zero on. */
export function ownLane(task: number, exception: number, exceptions: number): number {
  return -1 - (task * exceptions + exception);
}

/** A task that moves goes before those that never began, of the same owner and priority. */
const before = 0.5;

export function particularProfile(profile: TaskProfile, { requirement, rank }: Particular): TaskProfile {
  return {
    ...profile,
    priority: (profile.priority ?? 0) + before,
    ...(requirement === undefined ? {} : { requirement }),
    ...(rank === undefined ? {} : { rank }),
  };
}

/** The user's own resource selector said which hosts, and in which order (GW-4). */
export function fromCandidates(candidates: readonly Candidate[]): Pick<Particular, "requirement" | "rank"> {
  const names = candidates.map(({ host }) => JSON.stringify(host));
  const rank = candidates.reduceRight(
    (rest, candidate, index) => `ifThenElse(Machine == ${names[index]}, ${candidate.rank}, ${rest})`,
    "0",
  );
  return { requirement: names.length === 0 ? "false" : `member(Machine, {${names.join(", ")}})`, rank };
}
