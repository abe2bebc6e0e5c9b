/**
 * The agent's configuration: one JSON file, named on its command line, written by whoever starts it. Paths are relative to
 * it: whoever writes it for a foreign host does not know where it will lie.
 */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { z } from "zod";

const slot = z.object({
  number: z.number().int().min(1).max(4096),
  /** The slot's own account (isolation `accounts`). */
  uid: z.number().int().min(1).optional(),
  gid: z.number().int().min(1).optional(),
});
export type Slot = z.infer<typeof slot>;

const agentConfig = z
  .object({
    gatewayUrl: z.url(),
    tokenFile: z.string().min(1),
    /** Identity, spool and cache. */
    directory: z.string().min(1),
    /** The tasks' working directories, one for each slot. */
    slotsDirectory: z.string().min(1),
    slots: z.array(slot).max(4096),
    /** `as-possible`: namespaces where the host allows them, else none. For hosts on which the agent has an ordinary account. */
    isolation: z.enum(["accounts", "namespaces", "none", "as-possible"]),
    /** Directories that tasks in namespaces must not see. */
    hide: z.array(z.string()),
    /** Also the account's home: it is not the task's owner's own. */
    hideHome: z.boolean().default(false),
    /** The directory is this agent's alone and is removed when it ends for good. */
    ephemeral: z.boolean().default(false),
    /** What all agents of this account share: the file cache, the host's benchmark. Undefined: each has its own. */
    sharedDirectory: z.string().min(1).optional(),
    /** The authorities trusted for the gateway's certificate, and no others. */
    caFile: z.string().min(1).optional(),
    cluster: z.string().max(255).default("local"),
    /** The most it may run: whoever started it ends it then. */
    wallSeconds: z.number().positive().optional(),
    /** Without work for so long it ends itself, or with work that uses no CPU. Undefined or 0: never. */
    idleSeconds: z.number().nonnegative().optional(),
    quietSeconds: z.number().nonnegative().optional(),
    /** What expressions can ask of this host besides its own facts. */
    tags: z
      .record(z.string().regex(/^[A-Za-z_]\w{0,63}$/), z.union([z.string().max(255), z.number(), z.boolean()]))
      .default({}),
    parallelTransfers: z.number().int().min(1).max(64).optional(),
    cacheBytes: z
      .number()
      .nonnegative()
      .default(10 * 2 ** 30),
  })
  .refine(
    (config) => config.isolation !== "accounts" || config.slots.every((one) => one.uid && one.gid),
    "isolation by accounts needs a uid and a gid for every slot",
  );
export type AgentConfig = z.infer<typeof agentConfig>;

export function readConfig(words: readonly string[]): AgentConfig {
  const [option, file] = words;
  if (option !== "--config" || !file) throw new Error("Usage: agent --config FILE");
  const parsed = agentConfig.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
  return atItsPlace(parsed.data, dirname(resolve(file)));
}

function atItsPlace(config: AgentConfig, place: string): AgentConfig {
  return {
    ...config,
    tokenFile: resolve(place, config.tokenFile),
    directory: resolve(place, config.directory),
    slotsDirectory: resolve(place, config.slotsDirectory),
    hide: [...config.hide.map((path) => resolve(place, path)), ...(config.hideHome ? [homedir()] : [])],
    sharedDirectory: config.sharedDirectory && resolve(place, config.sharedDirectory),
    caFile: config.caFile && resolve(place, config.caFile),
  };
}
