/**
 * The policies of a bag (GridBot §4.1, GB-2): expressions over Host, Job, BOT and Queue, read once and evaluated for
 * every host. A text that cannot be read is an expression that is never true; the reason is told where a task waits.
 */

import { type Compiled, compile, type Expr, parseExpression, walk } from "@/core/expressions";
import type { Span } from "@/core/problem";
import type { Weights } from "./preference";

export interface Policies {
  /** On which hosts its tasks may run. */
  jobRequirements?: string;
  /** Which bag a host works for first, and which host a task prefers. */
  rank?: string;
  /** Whether a task that is with an agent may get another attempt beside it, in the tail. */
  replicationRequirements?: string;
  /** The most tasks a host may hold at a time, running and prefetched. */
  concurrency?: string;
  /** Seconds after which an attempt counts as lost. */
  deadline?: string;
  /** Which grids (clusters) may be used at all. */
  gridPolicy?: string;
  /** The tail begins when fewer tasks than this are unsent; GridBot's scheduling buffer of 1500 if not given. */
  tailBelow?: number;
  /** Once begun the tail goes on, even if failures make tasks unsent again. */
  latchTail?: boolean;
  /** Attempts at one task at a time, the first included; 3 if not given. */
  maxReplicas?: number;
  /** How much distance, link, cpu and memory count where no rank says which host is better (GR-7). */
  weights?: Weights;
}

export const defaultTailBelow = 1500;
export const defaultMaxReplicas = 3;

/** One expression of a policy, compiled, or the sentence that says why it cannot be. */
export interface Reading {
  readonly text: string;
  readonly expr?: Expr;
  readonly compiled?: Compiled;
  readonly problem?: string;
  /** Where in the text the problem is. */
  readonly at?: Span;
}

const known = new Map<string, Reading>();
const mostKnown = 5000;

/** The same text is compiled once. */
export function readPolicy(text: string): Reading {
  let reading = known.get(text);
  if (!reading) {
    const parsed = parseExpression(text, { dialect: "gridbot" });
    reading = parsed.ok
      ? { text, expr: parsed.value, compiled: compile(parsed.value) }
      : { text, problem: parsed.problem.message, ...(parsed.problem.at && { at: parsed.problem.at }) };
    if (known.size >= mostKnown) known.clear();
    known.set(text, reading);
  }
  return reading;
}

export interface PolicyProblem {
  policy: ExpressionPolicy;
  problem: string;
  at?: Span;
}

/** What cannot be read, and where. */
export function policyProblems(policies: Policies): PolicyProblem[] {
  return expressionPolicies.flatMap((policy) => {
    const text = policies[policy];
    if (text === undefined) return [];
    const { problem, at } = readPolicy(text);
    return problem === undefined ? [] : [{ policy, problem, ...(at && { at }) }];
  });
}

/** `JobRequirements, line 1, column 7: …`: for whoever sees no field beside the sentence. */
export function policySentence({ policy, problem, at }: PolicyProblem): string {
  return `${policyNames[policy]}${at ? `, line ${at.line}, column ${at.column}` : ""}: ${problem}`;
}

export const expressionPolicies = [
  "jobRequirements",
  "rank",
  "replicationRequirements",
  "concurrency",
  "deadline",
  "gridPolicy",
] as const satisfies readonly (keyof Policies)[];
export type ExpressionPolicy = (typeof expressionPolicies)[number];

/** As the papers write them. */
export const policyNames: Readonly<Record<keyof Policies, string>> = {
  jobRequirements: "JobRequirements",
  rank: "Rank",
  replicationRequirements: "ReplicationRequirements",
  concurrency: "Concurrency",
  deadline: "Deadline",
  gridPolicy: "GridPolicy",
  tailBelow: "TailBelow",
  latchTail: "LatchTail",
  maxReplicas: "MaxReplicas",
  weights: "Weights",
};

/** What the engine keeps about a host (host-ad.ts): it changes with every attempt that begins or ends there. */
const keptNames = new Set(["errorrate", "averageturnaround", "jobstoday", "recentcputime", "runningjobs", "freeslots"]);

/** Attribute names and functions whose value changes without anything happening to the host. */
const restless = new Set(
  [
    ["bot", "jobsleft", "jobsdone", "tail", "queue", "botsinqueue", "concurrency", "deadline", "rank"],
    ["job", "numberofreplicas", "currenttime", "my", "self"],
  ].flat(),
);
const restlessFunctions = new Set(["time", "random", "eval"]);

/** Whether the value may differ from one moment to the next for a host to which nothing happened. */
export function isRestless({ expr }: Reading): boolean {
  return mentions(expr, restless) || calls(expr, restlessFunctions);
}

/** Whether the value may differ after an attempt began or ended on the host. */
export function watchesHost({ expr }: Reading): boolean {
  return mentions(expr, keptNames);
}

function mentions(expr: Expr | undefined, names: ReadonlySet<string>): boolean {
  let found = false;
  if (expr) {
    walk(expr, (node) => {
      if (node.kind === "reference") found ||= names.has(node.name.toLowerCase());
    });
  }
  return found;
}

function calls(expr: Expr | undefined, names: ReadonlySet<string>): boolean {
  let found = false;
  if (expr) {
    walk(expr, (node) => {
      if (node.kind === "call") found ||= names.has(node.name.toLowerCase());
    });
  }
  return found;
}
