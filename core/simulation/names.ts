/** Ids in a simulation have the shape of real ones; in the event log they are short. */
export function simulatedId(kind: "run" | "agent" | "command", number: number): string {
  const digit = { run: "a", agent: "b", command: "c" }[kind];
  return `${digit.repeat(8)}-0000-0000-0000-${String(number).padStart(12, "0")}`;
}

export function shortId(id: string): number {
  return Number(id.slice(24));
}

/** `1.17.2`: run 1, task 17, second attempt. */
export function shortAttempt(id: string): string {
  return `${shortId(id.slice(0, 36))}${id.slice(36)}`;
}
