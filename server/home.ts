/**
 * GRIDLOOM_HOME: the one directory that holds all state. This file is its map; nobody else builds paths in it.
 * The directory itself may be entered but not listed by others (0711), because the slots' accounts work in
 * `slots/`; everything else in it is closed (0700).
 */
import { join, resolve } from "node:path";

export interface Home {
  root: string;
  /** Generated passwords and keys, mode 0600 each. */
  secrets: string;
  /** The embedded PostgreSQL's data, and its programs where the checkout cannot be entered by its account. */
  database: string;
  databasePrograms: string;
  /** Content-addressed files: inputs, outputs. */
  files: string;
  /** stdout and stderr of attempts, growing while they run. */
  output: string;
  /** What agents on foreign hosts start from, by hash: the agent's bundle and the portal's Node. */
  programs: string;
  /** Logs of the portal's own parts. */
  logs: string;
  /** `portal.json` (pid, address) and sockets of the running portal. */
  run: string;
  /** The local agent's identity, spool and cache. */
  agent: string;
  /** Working directories of the local cluster's slots, one closed directory for each slot's account. */
  slots: string;
}

export function homeAt(directory: string): Home {
  const root = resolve(directory);
  const at = (name: string) => join(root, name);
  return {
    root,
    secrets: at("secrets"),
    database: at("postgres"),
    databasePrograms: at("postgres-programs"),
    files: at("files"),
    output: at("output"),
    programs: at("programs"),
    logs: at("logs"),
    run: at("run"),
    agent: at("agent"),
    slots: at("slots"),
  };
}
