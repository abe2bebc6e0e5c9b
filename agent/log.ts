/** One line a happening on stderr; whoever started the agent keeps it. Never holds a token or a task's data. */
export function log(message: string): void {
  process.stderr.write(`agent: ${message}\n`);
}

export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
