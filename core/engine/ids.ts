/**
 * Names of things that cross process boundaries. An attempt's id says what it is an attempt at; it is also
 * part of the name of the cluster job, so that after a crash the engine finds what it had started.
 */
export type RunId = string;
export type AgentId = string;
export type ClusterId = string;

/** `RUN.TASK.ORDINAL`, for example `0198c0de-….17.2`: the second attempt at task 17. */
export type AttemptId = `${string}.${number}.${number}`;

export interface AttemptRef {
  run: RunId;
  task: number;
  /** 1 for the first attempt. */
  ordinal: number;
}

export function attemptId(ref: AttemptRef): AttemptId {
  return `${ref.run}.${ref.task}.${ref.ordinal}`;
}

export function parseAttemptId(id: string): AttemptRef | undefined {
  const match = /^([0-9a-f-]{36})\.(\d{1,10})\.(\d{1,10})$/.exec(id);
  if (!match) return undefined;
  return { run: match[1]!, task: Number(match[2]), ordinal: Number(match[3]) };
}
