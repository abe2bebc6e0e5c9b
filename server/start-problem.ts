/**
 * Something that keeps the portal from starting, told as one sentence with what to do about it. Whoever started
 * us sees the sentence alone; any other error is a fault of ours and is shown with its stack.
 */
export class StartProblem extends Error {
  override readonly name = "StartProblem";
}

/** What to print for an error at the top of a program. */
export function describeStartError(error: unknown): string {
  if (error instanceof StartProblem) return error.message;
  const sentence = sentenceForSystemError(error);
  if (sentence) return sentence;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function sentenceForSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const path = "path" in error && typeof error.path === "string" ? error.path : "a file";
  switch (error.code) {
    case "ENOSPC":
    case "EDQUOT":
      return `The disk is full: ${path} could not be written. Free some space and start again.`;
    case "EROFS":
      return `${path} is on a file system that cannot be written. Set GRIDLOOM_HOME to a directory that can.`;
    case "EACCES":
    case "EPERM":
      return `No permission for ${path}. Start as the account that owns it, or set GRIDLOOM_HOME to a directory of your own.`;
    default:
      return undefined;
  }
}
