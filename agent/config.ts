/** The agent's configuration: one JSON file, named on its command line, written by whoever starts it. */
import { readFileSync } from "node:fs";
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
    isolation: z.enum(["accounts", "namespaces", "none"]),
    /** Directories that tasks in namespaces must not see. */
    hide: z.array(z.string()),
    cacheBytes: z
      .number()
      .positive()
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
  return parsed.data;
}
