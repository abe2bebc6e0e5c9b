/** The keys of a job template: those of the first GridWay's Figure 5 and those of its releases. */
import { adaptiveKeys } from "./adaptive";

/** Figure 5's names for keys that were renamed later. */
export const renamed: Readonly<Record<string, string>> = {
  EXECUTABLE_FILE: "EXECUTABLE",
  EXECUTABLE_ARGUMENTS: "ARGUMENTS",
};

export const understood: readonly string[] = [
  ...adaptiveKeys,
  ...["NAME", "EXECUTABLE", "EXECUTABLE_FILE", "ARGUMENTS", "EXECUTABLE_ARGUMENTS", "ENVIRONMENT"],
  ...["INPUT_FILES", "OUTPUT_FILES", "STDIN_FILE", "STDOUT_FILE", "STDERR_FILE"],
  ...["REQUIREMENTS", "RANK", "HOST_REQUIREMENTS_FILE", "RANK_FUNCTION_FILE"],
  ...["RESCHEDULE_ON_FAILURE", "NUMBER_OF_RETRIES", "NP", "TYPE", "PRE_WRAPPER", "PRE_WRAPPER_ARGUMENTS"],
  ...["TOTAL_TASKS", "PARAM_START", "PARAM_INCREMENT"],
];

/** Keys a task has no place for; the reason completes "… is not kept: ". */
export const notKept: Readonly<Record<string, string>> = {
  CHECKPOINT_URL: "restart files are kept at the portal",
  MAX_DISCOVERY_TIME: "hosts are known without a search",
  RESCHEDULING_THRESHOLD: "when moving is worth it is decided from what has to be moved and the time that is left",
  CPULOAD_THRESHOLD: "the load of a host is not watched during a task",
  MONITOR: "tasks are watched by the portal's own worker",
  DEADLINE: "a task has no deadline",
  JOB_DEPENDENCIES: "it names jobs of one GridWay by their numbers",
};
