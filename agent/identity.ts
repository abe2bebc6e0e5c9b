/**
 * Who this agent is: an id that stays with its spool, and the token that proves it. Whoever launches the agent makes
 * both; an agent that was given up deletes them, so that the next launch makes new ones.
 */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { AgentConfig } from "./config";

const identityFile = z.object({ agent: z.string().regex(/^[0-9a-f-]{36}$/) });

export interface Identity {
  agent: string;
  token: string;
}

const pathOf = (config: AgentConfig) => join(config.directory, "identity.json");

export function readIdentity(config: AgentConfig): Identity {
  const { agent } = identityFile.parse(JSON.parse(readFileSync(pathOf(config), "utf8")));
  return { agent, token: readFileSync(config.tokenFile, "utf8").trim() };
}

export function deleteIdentity(config: AgentConfig): void {
  rmSync(pathOf(config), { force: true });
  rmSync(config.tokenFile, { force: true });
}
