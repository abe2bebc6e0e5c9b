/** What an exit status means (GW-6). The shell tells a death by signal N as 128 + N. */
import { constants } from "node:os";
import type { AgentOutcome } from "@/core/protocol/agent";

export type Failure = Extract<AgentOutcome, { is: "failed" }>;

/** Undefined: success. */
export function failureOf(status: number): Failure | undefined {
  if (status === 0) return undefined;
  const signal = status > 128 ? signalNames.get(status - 128) : undefined;
  if (signal === "SIGXFSZ") {
    return {
      is: "failed",
      reason: "output-limit",
      signal,
      detail: "The program tried to write a file larger than the output limit allows.",
    };
  }
  if (signal) return { is: "failed", reason: "signal", signal, detail: `The program was ended by ${signal}.` };
  return { is: "failed", reason: "exit-code", exitCode: status };
}

/** The command before the program failed, or the one after it did; its status is the task's. */
export function failureAround(
  decided: { by: "before" } | { by: "after"; program: number },
  status: number,
  said: string,
): Failure | undefined {
  const failure = failureOf(status);
  if (!failure) return undefined;
  const sentence =
    decided.by === "before"
      ? `The command before the task ${endInWords(status)}, so its program was not started.`
      : `The command after the task ${endInWords(status)}; the task's program ${endInWords(decided.program)}.`;
  const words = said.trim();
  return { ...failure, detail: words === "" ? sentence : `${sentence} It said: ${words}` };
}

function endInWords(status: number): string {
  const { signal } = failureOf(status) ?? {};
  return signal ? `was ended by ${signal}` : `ended with exit code ${status}`;
}

/** Where a signal has two names (SIGABRT and SIGIOT) the first listed is the usual one. */
const signalNames = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name]),
);
