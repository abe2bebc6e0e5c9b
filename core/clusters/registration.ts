/**
 * What an administrator may say of a cluster, and anybody of a key to one: bounds, and the sentence beside a field that breaks
 * them. The form checks with it as one types, the server again.
 */
import { z } from "zod";

/** How agents get started on it. The cluster `local` registers itself. */
export const registrableDrivers = ["ssh", "slurm", "gridengine", "pbs", "lsf", "htcondor"] as const;
export type RegistrableDriver = (typeof registrableDrivers)[number];

/** Their commands and answers are tested against the vendors' documentation only. */
export const untriedDrivers: readonly string[] = ["pbs", "lsf", "htcondor"];
export const untriedSentence = "not yet tried on a real system";

export const accountPolicies = ["own", "service", "either"] as const;

const plain = /^[^\p{Cc}\p{Cs}]*$/u;
const notPlain = "It contains a character that cannot be used here.";

/** In expressions too: `Grid == "fermi"`. */
export const clusterIdText = z
  .string()
  .min(1, "Please give it a short name.")
  .max(40, "The short name is too long: at most 40 characters.")
  .regex(
    /^[a-z][a-z0-9-]*$/,
    "The short name begins with a small letter and has only small letters, digits and hyphens.",
  );

const clusterName = z
  .string()
  .trim()
  .min(1, "Please give it a name.")
  .max(100, "The name is too long: at most 100 characters.")
  .regex(plain, notPlain);

const hostName = z
  .string()
  .trim()
  .min(1, "Please say which host.")
  .max(253, "The host's name is too long.")
  .regex(/^[A-Za-z0-9]([A-Za-z0-9._:-]*[A-Za-z0-9])?$/, "This is not the name or the address of a host.");

const whole = (least: number, most: number, what: string) => {
  const sentence = `${what}: a whole number from ${least.toLocaleString("en")} to ${most.toLocaleString("en")}.`;
  return z.number(sentence).int(sentence).min(least, sentence).max(most, sentence);
};

const queueName = z
  .string()
  .max(100, "The name is too long.")
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.@:-]*$/, "This is not the name of a queue.");

const gigabyte = 1_000_000_000;

export const settingsOfCluster = z.object({
  slotsPerAgent: whole(1, 1024, "Slots of an agent"),
  memoryBytesPerAgent: z
    .number("Memory of an agent: a number of gigabytes.")
    .int()
    .min(gigabyte / 20, "Memory of an agent: at least 0.05 GB.")
    .max(100_000 * gigabyte, "Memory of an agent: at most 100,000 GB.")
    .optional(),
  wallSeconds: z
    .number("Time limit: a number of hours.")
    .int()
    .min(60, "Time limit: at least a minute (0.02 hours).")
    .max(30 * 86_400, "Time limit: at most 720 hours."),
  maxAgents: whole(0, 10_000, "Agents"),
  maxQueued: whole(0, 10_000, "Waiting jobs"),
  perMinute: whole(1, 6000, "Submissions a minute"),
  /** 0 the same site, 1 the region, 2 farther away (GR-7). */
  distance: whole(0, 2, "Distance"),
  linkMbps: z
    .number("Link: a number of Mbit/s.")
    .positive("Link: more than 0 Mbit/s.")
    .max(1_000_000, "Link: at most 1,000,000 Mbit/s.")
    .optional(),
  workDirectory: z
    .string()
    .max(1000, "The directory's name is too long.")
    .regex(/^\//, "The directory must begin with “/”.")
    .regex(plain, notPlain)
    .optional(),
  failOver: z.boolean(),
  reach: z.enum(["direct", "tunnel"]),
  gatewayUrl: z
    .url({ protocol: /^https?$/, error: "This is not an address that begins with http:// or https://." })
    .max(2000, "The address is too long.")
    .optional(),
  pollSeconds: z
    .number("Polling: a number of seconds.")
    .min(1, "Polling: not more often than once a second.")
    .max(3600, "Polling: at least once an hour (3,600 s)."),
  minimalAgent: z.boolean(),
  idleSeconds: whole(1, 86_400, "Idle time"),
  /** For the scheduler's commands. */
  environment: z
    .record(
      z
        .string()
        .max(100, "The name of a variable is too long.")
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "Each line is NAME=value."),
      z.string().max(4000, "The value of a variable is too long.").regex(plain, notPlain),
    )
    .refine((variables) => Object.keys(variables).length <= 50, "At most 50 variables.")
    .optional(),
  /** Grid Engine's for several cores on one host, and for MPI. */
  parallelEnvironments: z.object({ oneHost: queueName.optional(), manyHosts: queueName.optional() }).optional(),
});
export type SettingsOfCluster = z.infer<typeof settingsOfCluster>;

export const registration = z
  .object({
    name: clusterName,
    driver: z.enum(registrableDrivers, "Please choose how agents are started there."),
    /** Null: its commands run on the portal's own machine. */
    address: z.object({ host: hostName, port: whole(1, 65_535, "Port") }).nullable(),
    queue: queueName.nullable(),
    access: z.enum(["everyone", "admins"]),
    accountPolicy: z.enum(accountPolicies),
    /** As a test showed it: what the host must present ever after. */
    hostKey: z.string().max(2000, "The host's key is too long.").regex(plain, notPlain).nullable(),
    settings: settingsOfCluster,
  })
  .superRefine((cluster, context) => {
    const wrong = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (cluster.driver === "ssh" && cluster.address === null) wrong("address", "An SSH host needs an address.");
    if (cluster.address === null && cluster.accountPolicy !== "service") {
      wrong("accountPolicy", "On the portal's own machine there is only the portal's account.");
    }
    if (cluster.address === null && cluster.settings.reach === "tunnel") {
      wrong("settings", "A tunnel needs an address to go to.");
    }
  });
export type Registration = z.infer<typeof registration>;

/** Where a test shows the host's key, it must have been shown before a cluster is stored. */
export const hostKeyMissing = "Test it first: the test shows the host’s key, which is then the only one believed.";

export const loginName = z
  .string()
  .trim()
  .min(1, "Please say under which account.")
  .max(64, "The account's name is too long.")
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.@-]*\$?$/, "This is not the name of an account.");

export const keySource = z.discriminatedUnion("is", [
  z.object({
    is: z.literal("pasted"),
    privateKey: z
      .string()
      .trim()
      .min(1, "Please paste the private key.")
      .max(20_000, "This is too long for a private key.")
      .regex(
        /^-----BEGIN [A-Z ]*PRIVATE KEY-----\r?\n[A-Za-z0-9+/=\r\n]+-----END [A-Z ]*PRIVATE KEY-----$/,
        "This is not a whole private key without a passphrase: it begins with “-----BEGIN … PRIVATE KEY-----”.",
      ),
  }),
  z.object({ is: z.literal("generated"), id: z.uuid("This is not an id.") }),
]);
export type KeySource = z.infer<typeof keySource>;

export const credentialDraft = z.object({
  login: loginName,
  key: keySource,
  expiresAt: z.date().nullable(),
});
export type CredentialDraft = z.infer<typeof credentialDraft>;

/** Before this much is left nothing needs to be said. */
export const expiryWarningMs = 14 * 86_400_000;
