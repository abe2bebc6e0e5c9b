/**
 * The driver of the cluster `local`: this machine. Its agent runs beside the portal, so what matters most is that the
 * programs it runs can reach nothing of it: under accounts of their own if the portal was started by root, in
 * namespaces if the kernel allows an ordinary user that, else not kept apart at all, and the note says so.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { namespaceScript, namespaceTemporary, namespaceWords } from "@/core/protocol/namespaces";
import { checkoutDirectory } from "@/server/checkout";
import type { Home } from "@/server/home";
import { writePrivateFile } from "@/server/secrets";
import { StartProblem } from "@/server/start-problem";
import type { AgentLaunch, PreparedCluster } from "./local-launch";
import { claimSlotAccounts } from "./slot-accounts";
import { asAccount, systemPath, tryProgram } from "./try-program";

export type PreparedLocalCluster = PreparedCluster;

/** Decides by trying. Throws a {@link StartProblem} if the slots' accounts cannot get to their directories. */
export async function prepareLocalCluster(home: Home, slots: number): Promise<PreparedLocalCluster> {
  return process.getuid?.() === 0 ? await prepareAccounts(home, slots) : await prepareNamespaces(home, slots);
}

async function prepareAccounts(home: Home, count: number): Promise<PreparedLocalCluster> {
  const { accounts, warning } = claimSlotAccounts(home.root, count);
  const [first] = accounts;
  const tried = first ? tryProgram(asAccount(first, ["true"])) : undefined;
  if (!first || !tried?.succeeded) {
    const why = tried ? `setpriv of util-linux is needed: ${tried.complaint}` : "no account could be made";
    return await prepareNothing(home, count, `Programs cannot be run under accounts of their own (${why}).`);
  }
  await makeSlotsDirectory(home, 0o711);
  if (!tryProgram(asAccount(first, ["/bin/sh", "-c", 'cd "$1"', "sh", home.slots])).succeeded) {
    const closed = closedDirectoryAbove(home.slots) ?? home.root;
    throw new StartProblem(
      `The local cluster's programs run under accounts of their own, which cannot enter ${closed}. ` +
        `Allow it with: chmod o+x '${closed}', or set GRIDLOOM_HOME to a directory every account may enter.`,
    );
  }
  return {
    isolation: "accounts",
    isolationNote: warning ?? "",
    slots: accounts.map(({ uid, gid }, index) => ({ number: index + 1, uid, gid })),
  };
}

function closedDirectoryAbove(path: string): string | undefined {
  const closed = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o001) & 0o001 ? undefined : path;
  return path === dirname(path) ? closed : (closedDirectoryAbove(dirname(path)) ?? closed);
}

async function prepareNamespaces(home: Home, count: number): Promise<PreparedLocalCluster> {
  await makeSlotsDirectory(home, 0o700);
  const complaint = tryNamespaces(home);
  if (complaint !== undefined) {
    const why = `This machine does not let an ordinary user shut programs into namespaces of their own (${complaint}), and the portal was not started by root.`;
    return await prepareNothing(home, count, why);
  }
  return {
    isolation: "namespaces",
    isolationNote: "",
    slots: numbered(count),
  };
}

/** The same words the agent uses; undefined if they work. */
function tryNamespaces(home: Home): string | undefined {
  const directory = mkdtempSync(join(home.slots, "try-"));
  try {
    mkdirSync(join(directory, namespaceTemporary, "task"), { recursive: true });
    const script = join(directory, "namespace.sh");
    writeFileSync(script, namespaceScript);
    const ids = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const hidden = `test ! -e '${home.secrets.replaceAll("'", "'\\''")}'`;
    const words = namespaceWords({ script, ...ids, hide: hiddenPlaces(home) });
    const tried = tryProgram([...words, "/bin/sh", "-c", `${hidden} && test -w .`], directory);
    return tried.succeeded ? undefined : tried.complaint;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function prepareNothing(home: Home, count: number, why: string): Promise<PreparedLocalCluster> {
  await makeSlotsDirectory(home, 0o700);
  const isolationNote = `${why} Programs would run as the portal's own account, so only administrators may use this cluster.`;
  return { isolation: "none", isolationNote, slots: numbered(count) };
}

function numbered(count: number) {
  return Array.from({ length: count }, (_, index) => ({ number: index + 1 }));
}

async function makeSlotsDirectory(home: Home, mode: number): Promise<void> {
  await mkdir(home.slots, { recursive: true });
  await chmod(home.slots, mode);
}

function hiddenPlaces(home: Home): string[] {
  // Usually below /run, which is hidden anyway.
  const session = process.env.XDG_RUNTIME_DIR;
  const places = [home.root, checkoutDirectory(), homedir(), ...(session?.startsWith("/") ? [session] : [])];
  return [...new Set(places)];
}

/** Writes the agent's configuration and, if it has none, makes it an identity. The caller announces it before it starts. */
export async function localAgentLaunch(options: {
  home: Home;
  prepared: PreparedLocalCluster;
  gatewayUrl: string;
  /** The agent, bundled to one file. */
  program: string;
}): Promise<AgentLaunch> {
  const { home, prepared, gatewayUrl, program } = options;
  const tokenFile = join(home.agent, "token");
  const identityFile = join(home.agent, "identity.json");
  const identity = (await readIdentity(identityFile, tokenFile)) ?? {
    agent: randomUUID(),
    token: randomBytes(32).toString("base64url"),
  };
  await writePrivateFile(tokenFile, `${identity.token}\n`);
  await writePrivateFile(identityFile, JSON.stringify({ agent: identity.agent }));
  const configFile = join(home.agent, "config.json");
  const config = {
    gatewayUrl,
    tokenFile,
    directory: home.agent,
    slotsDirectory: home.slots,
    slots: prepared.slots,
    isolation: prepared.isolation,
    hide: hiddenPlaces(home),
  };
  await writePrivateFile(configFile, JSON.stringify(config, undefined, 2));
  return {
    command: process.execPath,
    arguments: [program, "--config", configFile],
    environment: { PATH: systemPath, LANG: "C.UTF-8", NODE_ENV: "production" },
    directory: home.agent,
    configFile,
    ...identity,
  };
}

async function readIdentity(
  identityFile: string,
  tokenFile: string,
): Promise<{ agent: string; token: string } | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(identityFile, "utf8"));
    const token = (await readFile(tokenFile, "utf8")).trim();
    if (typeof found !== "object" || found === null || !("agent" in found)) return undefined;
    const { agent } = found;
    return typeof agent === "string" && token !== "" ? { agent, token } : undefined;
  } catch {
    return undefined;
  }
}
