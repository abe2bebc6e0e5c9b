/** What a person says about how a run is to go (GB-2), checked before it is stored: no run waits for a misprint. */
import { TRPCError } from "@trpc/server";
import type { z } from "zod";
import { type Policies, policyProblems, policySentence } from "@/core/engine/policy";
import { type RunSettings, type runOptions, runSettings } from "@/server/engine/run-settings";

/** The settings to store. Throws BAD_REQUEST with a sentence for each policy that cannot be read. */
export function settingsFor(options: z.infer<typeof runOptions> = {}): RunSettings {
  refuseUnreadable(options.policies ?? {});
  return runSettings.parse(options);
}

export function refuseUnreadable(given: Policies): void {
  const problems = policyProblems(given);
  if (problems.length > 0) {
    throw new TRPCError({ code: "BAD_REQUEST", message: problems.map(policySentence).join("\n") });
  }
}
