/**
 * How drivers run commands: on the portal's own machine (here.ts) or on a cluster's front end (over-ssh.ts), as words, never as
 * text for a shell. Every command is shown to a recorder with its output, shortened (DI-11).
 */
export interface CommandOptions {
  /** What is put in on standard input; without it there is none. */
  stdin?: string | Uint8Array;
  /** After this long the command is killed and the call rejects. */
  timeoutMs: number;
  /** For people who look at the list of commands: "list jobs". */
  purpose: string;
}

export interface CommandResult {
  /** Null: ended by a signal. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
  durationMs: number;
}

/** A command that was run, as it is kept and shown. */
export interface RanCommand {
  command: string[];
  /** Null: ended by a signal, or it was never known how it ended. */
  exitCode: number | null;
  stdout: string;
  stderr: string;
  /** When it began; milliseconds since 1970. */
  at: number;
  durationMs: number;
  purpose: string;
}

export type CommandRecorder = (ran: RanCommand) => void;

export interface CommandRunner {
  /** Where the commands run, for sentences: "this machine", "grid@front.example.org". */
  readonly place: string;
  /**
   * Resolves with whatever exit code the command had. Rejects with a `ClusterProblem` if the command could not be run to its
   * end: no connection, no such program, no answer in time, more output than {@link mostOutputBytes}.
   */
  run(command: readonly string[], options: CommandOptions): Promise<CommandResult>;
  /** The same runner, with one more recorder. */
  recording(recorder: CommandRecorder): CommandRunner;
}

export const mostOutputBytes = 64 * 1024 * 1024;
const keptCharacters = 8_000;

/** Beginning and end of a text that is too long to keep. */
export function shorten(text: string, most = keptCharacters): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters left out …\n${text.slice(-half)}`;
}
