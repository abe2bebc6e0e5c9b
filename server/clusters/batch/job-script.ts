/**
 * The script of a job: sends the agent's first words to a log file in the account's home, then runs the agent's own script.
 * The script of an array holds those of all its elements, each in a function, and an element runs its own.
 */
import { quoteWord } from "@/core/workflow/shell-words";
import type { AgentJob, DriverSettings } from "../driver";

export const defaultStateDirectory = ".gridloom";
const keptDays = 7;

export function jobScript(
  jobs: readonly AgentJob[],
  indexVariable: string,
  firstIndex: number,
  settings: DriverSettings,
): string {
  const directory = quoteWord(settings.stateDirectory ?? defaultStateDirectory);
  const head = ["#!/bin/sh", "umask 077", 'cd "${HOME:-/tmp}" || exit 1', `gridloom_logs=${directory}/logs`];
  // Without a place for the log the agent runs all the same.
  const prepare = [
    'mkdir -p "$gridloom_logs"',
    `find "$gridloom_logs" -name "*.log" -mtime +${keptDays} -exec rm -f {} +`,
  ];
  const [only] = jobs;
  if (jobs.length === 1 && only) return `${[...head, ...prepare, toLog(only), only.script].join("\n")}\n`;
  const functions = jobs.map(
    (job, index) => `gridloom_agent_${index + firstIndex}() {\n${toLog(job)}\n${job.script}\n}`,
  );
  const choice = `gridloom_agent_"$${indexVariable}"`;
  return `${[...head, ...prepare, ...functions, choice].join("\n")}\n`;
}

function toLog({ agent }: AgentJob): string {
  return `[ -d "$gridloom_logs" ] && exec >>"$gridloom_logs/${agent}.log" 2>&1`;
}
