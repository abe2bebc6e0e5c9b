/**
 * The job that starts one agent on any host: complete POSIX sh, made of what this agent is told and agent/bootstrap.sh. It
 * travels on standard input or as a batch script, never in arguments; the token stands in it once and is written to a
 * file only its owner can read.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkoutDirectory } from "@/server/checkout";
import type { AgentPrograms } from "./agent-programs";

export interface AgentScriptOptions {
  /** The portal as the host sees it: its public address, or the near end of a tunnel. */
  gatewayUrl: string;
  agent: string;
  token: string;
  cluster: string;
  slots: number;
  /** From `publishAgentPrograms`. */
  programs: AgentPrograms;
  /** On the host: absolute, or `~/…`. Undefined: `~/.gridloom`, or a temporary place where the home is not to be written to. */
  workDirectory?: string;
  /** The job ends then, whatever runs; the agent is done before. */
  wallSeconds?: number;
  /** Without work, or with work that uses no CPU, for so long, it ends itself. 0: never. */
  idleSeconds?: number;
  quietSeconds?: number;
  /** `service`: several people's work runs under this account, so tasks are not shown its home. */
  account?: "own" | "service";
  cacheBytes?: number;
  /** What expressions can ask of this agent's host besides its own facts (DI-4). */
  tags?: Readonly<Record<string, string | number | boolean>>;
  /** The agent in sh and curl, which does one task: where there is no usable Node, or always. For agents bound to one attempt. */
  minimal?: "never" | "fallback" | "always";
  /** PEM: the only authorities trusted for the portal's certificate. Undefined: those of the host. */
  caCertificates?: string;
}

/** How long a minimal agent waits for its task. */
const defaultPatienceSeconds = 300;

const shapes: [keyof AgentScriptOptions, RegExp][] = [
  ["gatewayUrl", /^https?:\/\/[A-Za-z0-9.:[\]-]+(\/[A-Za-z0-9._~/-]*)?$/],
  ["agent", /^[0-9a-f-]{36}$/],
  ["token", /^[A-Za-z0-9_.~+/=-]{16,512}$/],
  ["workDirectory", /^(\/|~\/)[^\n\0]*$/],
  ["caCertificates", /^(-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+-----END CERTIFICATE-----\n*)+$/],
];

export function agentScript(options: AgentScriptOptions): string {
  for (const [name, shape] of shapes) {
    const value = options[name];
    if (value !== undefined && !shape.test(String(value))) throw new Error(`An agent cannot be told this ${name}.`);
  }
  const { gatewayUrl, agent, token, programs, workDirectory = "", caCertificates = "" } = options;
  const { minimal = "never", idleSeconds } = options;
  const variables = {
    gateway: gatewayUrl.replace(/\/+$/, ""),
    agent,
    bundle: programs.bundle,
    node: programs.node,
    node_for: programs.nodeFor,
    work: workDirectory,
    minimal,
    minimal_patience: String(Math.ceil(idleSeconds || defaultPatienceSeconds)),
  };
  return [
    "#!/bin/sh",
    ...Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)}`),
    writer("write_token", token),
    writer("write_ca", caCertificates.trim()),
    writer("write_config", JSON.stringify(configOf(options))),
    ...(minimal === "never" ? [] : [shellText("minimal.sh")]),
    shellText("bootstrap.sh"),
  ].join("\n");
}

/** agent/config.ts; names are relative to the agent's directory, which only the host knows. */
function configOf(options: AgentScriptOptions) {
  const { gatewayUrl, cluster, slots, wallSeconds, idleSeconds, quietSeconds, cacheBytes, tags } = options;
  return {
    gatewayUrl,
    tokenFile: "token",
    directory: ".",
    slotsDirectory: "slots",
    slots: Array.from({ length: slots }, (_, index) => ({ number: index + 1 })),
    isolation: "as-possible",
    hide: ["../.."],
    hideHome: options.account === "service",
    ephemeral: true,
    sharedDirectory: "../..",
    caFile: options.caCertificates === undefined ? undefined : "ca.pem",
    cluster,
    wallSeconds,
    idleSeconds,
    quietSeconds,
    cacheBytes,
    tags,
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Built into the shell, so that the text is in no process's arguments. */
function writer(name: string, text: string): string {
  return `${name}() { printf '%s\\n' ${quoted(text)}; }`;
}

function shellText(name: string): string {
  return readFileSync(join(checkoutDirectory(), "agent", name), "utf8");
}
