/** What commands read from and write to: the real machine here, whatever a test likes elsewhere. */
import { readFile, stat } from "node:fs/promises";
import { text } from "node:stream/consumers";

export interface CommandIo {
  readFile(path: string): Promise<string>;
  readBytes(path: string): Promise<Uint8Array<ArrayBuffer>>;
  fileExists(path: string): Promise<boolean>;
  stdin(): Promise<string>;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Width of the terminal that stderr goes to; undefined when it goes to a file or a pipe. */
  terminalColumns(): number | undefined;
}

export function processIo(): CommandIo {
  // `gridloom … | head` closes the pipe before we are done, which is not our failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  return {
    readFile: (path) => readFile(path, "utf8"),
    readBytes: async (path) => new Uint8Array(await readFile(path)),
    fileExists: (path) =>
      stat(path).then(
        (found) => found.isFile(),
        () => false,
      ),
    stdin: () => text(process.stdin),
    stdout: (written) => void process.stdout.write(written),
    stderr: (written) => void process.stderr.write(written),
    terminalColumns: () => (process.stderr.isTTY ? process.stderr.columns || 80 : undefined),
  };
}
