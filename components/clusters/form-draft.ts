/** A cluster as it stands in the form: texts while one types, a registration once all of them can be read. */
import {
  type CredentialDraft,
  clusterIdText,
  credentialDraft,
  hostKeyMissing,
  type RegistrableDriver,
  type Registration,
  registration,
} from "@/core/clusters/registration";
import type { MadeKeyView } from "@/server/api/clusters/views";

export interface ClusterDraft {
  id: string;
  name: string;
  driver: RegistrableDriver;
  where: "there" | "here";
  host: string;
  port: string;
  queue: string;
  access: Registration["access"];
  accountPolicy: Registration["accountPolicy"];
  hostKey: string | null;
  slotsPerAgent: string;
  memoryGb: string;
  wallHours: string;
  maxAgents: string;
  maxQueued: string;
  perMinute: string;
  pollSeconds: string;
  distance: string;
  linkMbps: string;
  workDirectory: string;
  gatewayUrl: string;
  reach: Registration["settings"]["reach"];
  failOver: boolean;
  minimalAgent: boolean;
  idleSeconds: string;
  /** A line each: `SLURM_CONF=/etc/slurm/slurm.conf`. */
  environment: string;
  oneHost: string;
  manyHosts: string;
}

export type DraftField = keyof ClusterDraft;

/** `kept`: the one that is stored stays. */
export interface KeyDraft {
  way: "kept" | "made" | "pasted";
  login: string;
  made: MadeKeyView | null;
  privateKey: string;
  /** A day, `2026-12-31`; empty: it does not expire. */
  expires: string;
}

export type KeyField = "login" | "made" | "privateKey" | "expires";

export const emptyKey: KeyDraft = { way: "made", login: "", made: null, privateKey: "", expires: "" };

export const emptyCluster: ClusterDraft = {
  id: "",
  name: "",
  driver: "slurm",
  where: "there",
  host: "",
  port: "22",
  queue: "",
  access: "everyone",
  accountPolicy: "own",
  hostKey: null,
  slotsPerAgent: "1",
  memoryGb: "",
  wallHours: "4",
  maxAgents: "4",
  maxQueued: "4",
  perMinute: "30",
  pollSeconds: "5",
  distance: "0",
  linkMbps: "",
  workDirectory: "",
  gatewayUrl: "",
  reach: "direct",
  failOver: false,
  minimalAgent: false,
  idleSeconds: "120",
  environment: "",
  oneHost: "",
  manyHosts: "",
};

const text = (value: number | string | undefined) => (value === undefined ? "" : String(value));
const gigabyte = 1_000_000_000;

export function draftOf(id: string, stored: Registration): ClusterDraft {
  const { name, driver, address, queue, access, accountPolicy, hostKey, settings } = stored;
  return {
    ...{ id, name, driver, access, accountPolicy, hostKey, queue: queue ?? "" },
    where: address ? "there" : "here",
    host: address?.host ?? "",
    port: text(address?.port ?? 22),
    slotsPerAgent: text(settings.slotsPerAgent),
    memoryGb: settings.memoryBytesPerAgent === undefined ? "" : text(settings.memoryBytesPerAgent / gigabyte),
    wallHours: text(Number((settings.wallSeconds / 3600).toFixed(4))),
    maxAgents: text(settings.maxAgents),
    maxQueued: text(settings.maxQueued),
    perMinute: text(settings.perMinute),
    pollSeconds: text(settings.pollSeconds),
    distance: text(settings.distance),
    linkMbps: text(settings.linkMbps),
    workDirectory: settings.workDirectory ?? "",
    gatewayUrl: settings.gatewayUrl ?? "",
    reach: settings.reach,
    failOver: settings.failOver,
    minimalAgent: settings.minimalAgent,
    idleSeconds: text(settings.idleSeconds),
    environment: Object.entries(settings.environment ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join("\n"),
    oneHost: settings.parallelEnvironments?.oneHost ?? "",
    manyHosts: settings.parallelEnvironments?.manyHosts ?? "",
  };
}

/** `Fermi at CNAF` → `fermi-at-cnaf`, until somebody types another. */
export function shortNameOf(name: string): string {
  const plain = name
    .normalize("NFD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  return plain
    .replace(/^[^a-z]+/, "")
    .slice(0, 40)
    .replace(/-+$/, "");
}

export type Problems<Field extends string> = Partial<Record<Field, string>>;

export type ReadDraft =
  | { registration: Registration; problems: Problems<DraftField> }
  | { registration?: undefined; problems: Problems<DraftField> };

/** Where the parts of a registration stand in the form. */
const fieldOf: Record<string, DraftField> = {
  "address.host": "host",
  "address.port": "port",
  address: "where",
  settings: "reach",
  "settings.memoryBytesPerAgent": "memoryGb",
  "settings.wallSeconds": "wallHours",
};

export function readCluster(draft: ClusterDraft, existing: boolean): ReadDraft {
  const number = (value: string) => (value.trim() === "" ? Number.NaN : Number(value));
  const maybe = (value: string) => (value.trim() === "" ? undefined : Number(value));
  const word = (value: string) => (value.trim() === "" ? undefined : value.trim());
  const scaled = (value: number | undefined, by: number) => (value === undefined ? undefined : Math.round(value * by));
  const answer = registration.safeParse({
    ...{ name: draft.name, driver: draft.driver, access: draft.access, hostKey: draft.hostKey },
    accountPolicy: draft.where === "here" ? "service" : draft.accountPolicy,
    address: draft.where === "here" ? null : { host: draft.host, port: number(draft.port) },
    queue: draft.driver === "ssh" ? null : (word(draft.queue) ?? null),
    settings: {
      slotsPerAgent: number(draft.slotsPerAgent),
      memoryBytesPerAgent: scaled(maybe(draft.memoryGb), gigabyte),
      wallSeconds: scaled(number(draft.wallHours), 3600),
      maxAgents: number(draft.maxAgents),
      maxQueued: number(draft.maxQueued),
      perMinute: number(draft.perMinute),
      pollSeconds: number(draft.pollSeconds),
      distance: number(draft.distance),
      linkMbps: maybe(draft.linkMbps),
      workDirectory: word(draft.workDirectory),
      gatewayUrl: word(draft.gatewayUrl),
      reach: draft.where === "here" ? "direct" : draft.reach,
      failOver: draft.failOver,
      minimalAgent: draft.minimalAgent,
      idleSeconds: number(draft.idleSeconds),
      environment: variablesIn(draft.environment),
      ...(draft.driver === "gridengine" && {
        parallelEnvironments: { oneHost: word(draft.oneHost), manyHosts: word(draft.manyHosts) },
      }),
    },
  });
  const problems: Problems<DraftField> = {};
  if (!existing) {
    const id = clusterIdText.safeParse(draft.id);
    if (!id.success) problems.id = id.error.issues[0]?.message ?? "";
  }
  for (const issue of answer.error?.issues ?? []) {
    const path = issue.path.join(".");
    const name = fieldOf[path] ?? isField(draft, issue.path.at(-1)) ?? isField(draft, issue.path[1]) ?? "name";
    problems[name] ??= issue.message;
  }
  return answer.success ? { registration: answer.data, problems } : { problems };
}

/** What is no `NAME=value` keeps its whole line as a name, which is then refused beside the field. */
function variablesIn(lines: string): Record<string, string> | undefined {
  const given = lines.split("\n").filter((line) => line.trim() !== "");
  if (given.length === 0) return undefined;
  return Object.fromEntries(
    given.map((line) => {
      const at = line.indexOf("=");
      return at < 0 ? [`${line} `, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

function isField(draft: ClusterDraft, name: unknown): DraftField | undefined {
  const isOne = (field: unknown): field is DraftField => typeof field === "string" && field in draft;
  return isOne(name) ? name : undefined;
}

export type ReadKey =
  | { credential: CredentialDraft | undefined; problems: Problems<KeyField> }
  | { credential?: undefined; problems: Problems<KeyField> };

export function readKey(draft: KeyDraft): ReadKey {
  if (draft.way === "kept") return { credential: undefined, problems: {} };
  const problems: Problems<KeyField> = {};
  if (draft.way === "made" && !draft.made) problems.made = "Have the portal make a key first.";
  const answer = credentialDraft.safeParse({
    login: draft.login,
    key:
      draft.way === "made"
        ? { is: "generated", id: draft.made?.id ?? "" }
        : { is: "pasted", privateKey: draft.privateKey },
    expiresAt: draft.expires === "" ? null : new Date(`${draft.expires}T23:59:59`),
  });
  for (const issue of answer.error?.issues ?? []) {
    const [first] = issue.path;
    if (first === "login") problems.login ??= issue.message;
    else if (first === "expiresAt") problems.expires ??= "This is not a day.";
    else if (draft.way === "pasted") problems.privateKey ??= issue.message;
  }
  return answer.success ? { credential: answer.data, problems } : { problems };
}

/** Why it cannot be stored yet although every field can be read. */
export function whyNotSave(draft: ClusterDraft): string | undefined {
  return draft.where === "there" && draft.hostKey === null ? hostKeyMissing : undefined;
}
