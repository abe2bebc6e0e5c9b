/**
 * What agents and gateways say to each other. All communication starts at the agent, over outgoing HTTP(S):
 *
 *   POST /agent/v1/hello      {@link Hello}    → {@link Welcome}       once per start
 *   POST /agent/v1/exchange   {@link Exchange} → {@link ExchangeReply} one at a time; held up to `wait` ms if there is nothing to say
 *   HEAD|GET /agent/v1/files/SHA256            inputs of attempts the agent holds (GET with Range)
 *   PUT  /agent/v1/files/SHA256                outputs; refused unless the bytes have that hash
 *   HEAD|PUT /agent/v1/uploads/SHA256          large outputs, with Content-Range; HEAD says what arrived before a break
 *   GET  /agent/v1/programs/SHA256[.gz]        what an agent is started from
 *
 * with `Authorization: Bearer TOKEN`. The agent tells its whole inventory in each exchange, so lost and repeated messages mend
 * themselves: an assignment that is not in the inventory is sent again, an ended attempt stays in it until
 * acknowledged. An agent that has news while an exchange is held abandons that exchange and starts the next.
 */
import { z } from "zod";
import { hasAllowedLength } from "@/core/file-name-length";

export const protocolVersion = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const attempt = z
  .string()
  .max(80)
  .regex(/^[0-9a-f-]{36}\.\d{1,10}\.\d{1,10}$/) as unknown as z.ZodType<`${string}.${number}.${number}`>;
/** Relative, no `..`, no empty or dot components: what may be created inside a task's directory. */
export const taskFileName = z
  .string()
  .min(1)
  .max(1024)
  .refine(isTaskFileName, "not a file inside the task's directory");

export function isTaskFileName(name: string): boolean {
  if (name.startsWith("/") || name.includes("\0") || !hasAllowedLength(name)) return false;
  return name.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/** What expressions can ask of a host besides what every host tells: `KFlops`, `LoadAvg`, tags of an application (DI-4). */
export const facts = z
  .record(
    z.string().regex(/^[A-Za-z_]\w{0,63}$/),
    z.union([z.string().max(255), z.number(), z.boolean(), z.array(z.string().max(255)).max(64)]),
  )
  .refine((told) => Object.keys(told).length <= 128, "more than 128 facts");

export const capabilities = z.enum(["heartbeat", "live-output", "cancel", "checkpoint", "trusted"]);
export type Capability = z.infer<typeof capabilities>;

export const hostFacts = z.object({
  name: z.string().max(255),
  /** The same for every agent that ever runs on this machine for its cluster, whatever becomes of its directory (GB-10). */
  machine: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
  os: z.string().max(64),
  arch: z.string().max(64),
  cpus: z.number().int().min(1).max(65536),
  cpuModel: z.string().max(255),
  memoryBytes: z.number().int().nonnegative(),
  facts: facts.optional(),
});
export type HostFacts = z.infer<typeof hostFacts>;

export const hello = z.object({
  protocol: z.literal(protocolVersion),
  /** Stable for the agent's spool: the same after a restart, another one when the spool was lost. */
  agent: z.string().regex(/^[0-9a-f-]{36}$/),
  host: hostFacts,
  slots: z.number().int().min(0).max(4096),
  capabilities: z.array(capabilities).max(16),
});
export type Hello = z.infer<typeof hello>;

export const welcome = z.object({
  /** The longest an exchange may be held, and so the heartbeat. */
  waitMs: z.number().int().min(0).max(60_000),
});
export type Welcome = z.infer<typeof welcome>;

export const restartFile = z.object({ name: taskFileName, sha256, size: z.number().int().nonnegative() });
export type RestartFile = z.infer<typeof restartFile>;

/** A complete set of restart files: told only when each of them is stored. Numbers rise within an attempt. */
export const restartSet = z.object({
  number: z.number().int().positive(),
  files: z.array(restartFile).min(1).max(1000),
  at: z.number(),
});
export type RestartSet = z.infer<typeof restartSet>;

/** One iteration of a running task, as its profile file tells it. */
export const profileSample = z.object({
  n: z.number().int().nonnegative(),
  seconds: z.number().nonnegative().max(1e9),
  at: z.number(),
});
export type ProfileSample = z.infer<typeof profileSample>;

/** What is new of a running attempt: each part as it is now, so that a repeated or lost one does no harm. */
export const progress = z.object({
  attempt,
  epoch: z.number().int(),
  checkpoint: restartSet.optional(),
  /** Its dynamic files, whole. */
  requirement: z.string().max(4096).optional(),
  rank: z.string().max(4096).optional(),
  samples: z.array(profileSample).max(200).optional(),
  /** What the user's own performance evaluator printed when it found the task too slow. */
  degraded: z.string().max(200).optional(),
  /** As measured by the agent's transfers. */
  bytesPerSecond: z.number().positive().optional(),
});
export type Progress = z.infer<typeof progress>;

export const candidate = z.object({ host: z.string().min(1).max(255), rank: z.number() });
export type Candidate = z.infer<typeof candidate>;

export const outcome = z.discriminatedUnion("is", [
  z.object({
    is: z.literal("succeeded"),
    outputs: z
      .array(z.object({ name: taskFileName, sha256, size: z.number().int().nonnegative(), transient: z.boolean() }))
      .max(100_000),
    /** An exit code other than 0 that counts as an answer. */
    exitCode: z.number().int().min(1).max(255).optional(),
  }),
  z.object({
    is: z.literal("failed"),
    reason: z.enum([
      "exit-code",
      "signal",
      "output-missing",
      "executable-missing",
      "time-limit",
      "memory-limit",
      "output-limit",
      "staging",
      "agent-error",
    ]),
    exitCode: z.number().int().optional(),
    signal: z.string().max(32).optional(),
    detail: z.string().max(4096).optional(),
  }),
  z.object({ is: z.literal("lost"), reason: z.enum(["agent-restarted", "agent-stopped", "shim-vanished"]) }),
  z.object({ is: z.literal("inputs-missing"), files: z.array(taskFileName).max(100_000) }),
  /** `moved-…`: the agent itself found that it should go on elsewhere. */
  z.object({ is: z.literal("cancelled"), reason: z.enum(["moved-wall-time", "moved-selected"]).optional() }),
]);

/** How an attempt can end, as its agent can know it. */
export type AgentOutcome = z.infer<typeof outcome>;

const usage = z.object({
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  peakMemoryBytes: z.number().nonnegative().optional(),
});

/** An attempt that ended, as reported until it is acknowledged. */
export const ended = z.object({
  attempt,
  epoch: z.number().int(),
  outcome,
  usage,
  /** The last restart files it left. */
  checkpoint: restartSet.optional(),
  /** What the user's own resource selector chose, best first. */
  candidates: z.array(candidate).max(500).optional(),
});
export type Ended = z.infer<typeof ended>;

export const exchange = z.object({
  agent: z.string().regex(/^[0-9a-f-]{36}$/),
  /** Every attempt the agent knows of, ended but unacknowledged ones included. */
  held: z.array(z.object({ attempt, epoch: z.number().int() })).max(100_000),
  started: z.array(z.object({ attempt, epoch: z.number().int(), at: z.number() })).max(100_000),
  /** Ends not yet acknowledged; repeated in each exchange until they are. */
  ended: z.array(ended).max(100_000),
  /**
   * New stretches of stdout and stderr; `offset` makes a repeated one harmless. The reply confirms them. The last
   * stretch of an attempt may come with its end, so a gateway stores output before it passes ends on.
   */
  output: z
    .array(
      z.object({
        attempt,
        stream: z.enum(["stdout", "stderr"]),
        offset: z.number().int().nonnegative(),
        base64: z.string().max(1_400_000),
      }),
    )
    .max(10_000),
  /** What the host is like now, told every half minute: load, free memory, free disk. */
  readings: facts.optional(),
  /** Runs that have transient files here: told with the readings, answered with those that are over. */
  keeping: z
    .array(z.string().regex(/^[0-9a-f-]{36}$/))
    .max(10_000)
    .optional(),
  /** What is new of attempts that may move. */
  progress: z.array(progress).max(10_000).optional(),
  /** Leaving for good: everything held was reported. */
  goodbye: z.boolean(),
  waitMs: z.number().int().min(0).max(60_000),
});
export type Exchange = z.infer<typeof exchange>;

/** What a program can be given as a variable. */
const variable = z.object({
  name: z
    .string()
    .max(255)
    .regex(/^[A-Za-z_][^=\0]*$/, "not a name for an environment variable"),
  value: z
    .string()
    .max(64 * 1024)
    .regex(/^[^\0]*$/, "a NUL character cannot be in a variable"),
});
/** The system gives a program a few megabytes for words and variables together. */
const longestEnvironment = 512 * 1024;
const environment = z
  .array(variable)
  .max(10_000)
  .refine(
    (variables) =>
      variables.reduce((sum, { name, value }) => sum + name.length + value.length + 2, 0) <= longestEnvironment,
    "the variables together are longer than half a megabyte",
  );

const words = z.array(z.string()).min(1).max(1000);
/** What makes a task one that may move (GW-2, GW-4). */
export const adaptive = z.object({
  restart: z.array(taskFileName).max(1000),
  marker: taskFileName.optional(),
  checkpointSeconds: z.number().positive(),
  requirementFile: taskFileName.optional(),
  rankFile: taskFileName.optional(),
  profile: taskFileName.optional(),
  /** Run beside the task in its directory; exit code 1 says it is too slow. */
  evaluator: words.optional(),
  /** Run before the prolog, with the hosts on its input; prints candidates. */
  selector: words.optional(),
  hosts: z.string().max(200_000).optional(),
  /** The set to go on from. */
  from: z.array(restartFile).max(1000),
});
export type Adaptive = z.infer<typeof adaptive>;

/** A task as handed to an agent. Names are relative to the task's directory; content is fetched by hash. */
export const assignment = z.object({
  attempt,
  epoch: z.number().int(),
  /** The task's name and its run's, for logs and the task's environment. */
  taskName: z.string().max(1024),
  runName: z.string().max(1024),
  taskIndex: z.number().int().nonnegative(),
  command: z.discriminatedUnion("is", [
    z.object({ is: z.literal("exec"), executable: z.string().min(1), arguments: z.array(z.string()) }),
    z.object({ is: z.literal("shell"), line: z.string().min(1) }),
    /** Nothing is run: the agent takes note that it succeeded. */
    z.object({ is: z.literal("no-op") }),
  ]),
  /** `kept`: a transient file; look in the agent's own cache only, and report `inputs-missing` if it is gone. */
  inputs: z.array(z.object({ name: taskFileName, sha256, size: z.number(), kept: z.boolean() })),
  outputs: z.array(z.object({ name: taskFileName, transient: z.boolean() })),
  /** Files of the three streams; stdin is among the inputs, the others among the outputs. */
  stdin: taskFileName.optional(),
  stdout: taskFileName.optional(),
  stderr: taskFileName.optional(),
  /** What the workflow wants in the task's environment. Names that are the run's own do not count. */
  environment: environment.default([]),
  /** Programs and their arguments, run before and after the task's own in its directory; the second then decides. */
  before: z.array(z.string()).min(1).optional(),
  afterwards: z.array(z.string()).min(1).optional(),
  /** Exit codes other than 0 that are answers and no failures, from and to. */
  answers: z
    .array(z.tuple([z.number().int().min(0).max(255), z.number().int().min(0).max(255)]))
    .max(256)
    .optional(),
  /** What has to be brought to it on its host; the first of them is the outermost. */
  software: z
    .array(
      z.object({
        is: z.enum(["installed", "module", "container", "conda"]),
        name: z
          .string()
          .min(1)
          .max(1024)
          .regex(/^[\w@%+=:,./~][\w@%+=:,./~-]*$/, "not a name of software"),
      }),
    )
    .max(16)
    .optional(),
  adaptive: adaptive.optional(),
  /** How many the task was told it may use. */
  cores: z.number().positive().optional(),
  limits: z.object({
    wallSeconds: z.number().positive(),
    memoryBytes: z.number().positive(),
    /** Total bytes the task may leave in its directory, and the most of either of its output streams. */
    outputBytes: z.number().positive(),
    streamBytes: z.number().positive(),
  }),
});
export type Assignment = z.infer<typeof assignment>;

export const exchangeReply = z.object({
  /** May be more than the agent has slots: the rest waits in its spool. */
  assign: z.array(assignment),
  acknowledge: z.array(z.string()),
  cancel: z.array(z.string()),
  /** Those of `cancel` whose restart files are to be brought to safety first. */
  checkpoint: z.array(z.string()).optional(),
  discard: z.array(z.string()),
  /** Runs whose transient files nobody will want any more. */
  over: z.array(z.string().max(36)).max(10_000).optional(),
  /** Given up: forget everything, take a new identity. */
  refused: z.boolean(),
});
export type ExchangeReply = z.infer<typeof exchangeReply>;
