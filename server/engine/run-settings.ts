/**
 * What a run may use, per task, and how often a failed task is tried again. Stored with the run, so that
 * another default tomorrow does not change a run of today.
 */
import { z } from "zod";

const gibibyte = 1024 ** 3;
const mebibyte = 1024 ** 2;

export const runSettings = z.object({
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

export type RunSettings = z.infer<typeof runSettings>;

export const defaultRunSettings: RunSettings = runSettings.parse({});
