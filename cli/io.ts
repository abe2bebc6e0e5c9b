/** What a command may write to and learn about the terminal; `process` is one, a test brings its own. */
export interface Io {
  stdout: Stream;
  stderr: Stream;
}

export interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}
