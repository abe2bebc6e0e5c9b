/**
 * What a failed query means for the journal: a passing trouble of the database is waited out, a lost lease ends
 * this engine's turn, and anything else is a fault of the program.
 */
import pg from "pg";
import type { TroubleKind } from "@/server/portal-trouble";

export type Trouble = "stale-epoch" | "already-committed" | "passing" | "fault";

/** SQLSTATE classes and codes that say nothing about the statement itself. */
const passingClasses = new Set(["08", "53", "57", "58"]);
const passingCodes = new Set(["40001", "40P01", "25P03", "25P04", "55P03"]);

export function troubleOf(error: unknown): Trouble {
  // Without an answer from the server, it is the connection that failed.
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return "passing";
  if (error.code === "GL001") return "stale-epoch";
  if (error.code === "GL002") return "already-committed";
  if (passingCodes.has(error.code) || passingClasses.has(error.code.slice(0, 2))) return "passing";
  return "fault";
}

/** What people should be told of a passing trouble. */
export function kindOfTrouble(error: unknown): TroubleKind {
  return error instanceof pg.DatabaseError && error.code === "53100" ? "disk-full" : "database-away";
}

/** For the log, in words an operator can act on. */
export function describeTrouble(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (kindOfTrouble(error) === "disk-full") {
    return `the database's disk is full; nothing is lost, but runs stand still until there is room (${message})`;
  }
  return `the database does not answer; nothing is lost, but runs stand still until it does (${message})`;
}
