/**
 * What a run may use, per task, and how often a failed task is tried again. Stored with the run, so that
 * another default tomorrow does not change a run of today.
 */
import { z } from "zod";
import { givenPolicies, policies } from "@/core/engine/policy-schema";
import { clusteringAlgorithms } from "@/core/workflow/clustering";

const gibibyte = 1024 ** 3;
const mebibyte = 1024 ** 2;

export const runSettings = z.object({
  policies: policies.default({}),
  /** Results of unchanged tasks of earlier runs are taken. */
  reuse: z.boolean().default(false),
  /** Which of their own runs a person wants first. */
  priority: z.number().int().min(-20).max(20).default(0),
  /** Tasks that go together (GR-4): by which rule, and how many at most. */
  clustering: z
    .object({
      algorithm: z.enum(clusteringAlgorithms),
      granularity: z.number().int().min(1).max(1e6).optional(),
    })
    .optional(),
  /** Whether tasks wait for agents that are there, or an agent is started for each through a cluster's queue. */
  binding: z.enum(["late", "early"]).default("late"),
  /** Further attempts at a task after a failure that is its own. */
  retries: z.number().int().min(0).max(1000).default(1),
  wallSeconds: z
    .number()
    .positive()
    .max(366 * 86_400)
    .default(86_400),
  memoryBytes: z
    .number()
    .int()
    .positive()
    .default(4 * gibibyte),
  /** Total bytes a task may leave in its directory. */
  outputBytes: z
    .number()
    .int()
    .positive()
    .default(10 * gibibyte),
  /** The most kept of its stdout, and of its stderr. */
  streamBytes: z
    .number()
    .int()
    .positive()
    .max(1024 * mebibyte)
    .default(10 * mebibyte),
});

/** What a person may say about how a run is to go; the rest has its defaults. */
export const runOptions = z.strictObject({
  policies: givenPolicies.optional(),
  priority: runSettings.shape.priority.removeDefault().optional(),
  retries: runSettings.shape.retries.removeDefault().optional(),
  clustering: runSettings.shape.clustering,
  binding: runSettings.shape.binding.removeDefault().optional(),
});

export type RunSettings = z.infer<typeof runSettings>;

export const defaultRunSettings: RunSettings = runSettings.parse({});
