/** Runs one of the system's own programs on the agent's behalf, with nothing of the agent's environment. */
import { spawn } from "node:child_process";
import { plainEnvironment } from "./task-environment";

/** Its exit code (undefined if it could not be started or a signal ended it), and the beginning of what it printed. */
export interface Ran {
  code: number | undefined;
  said: string;
  complaint: string;
}

/** `mostKept`: characters of each of the two. */
export function runProgram(words: readonly string[], mostKept = 500): Promise<Ran> {
  return new Promise((resolve) => {
    const [program = "", ...rest] = words;
    const child = spawn(program, rest, { stdio: ["ignore", "pipe", "pipe"], env: plainEnvironment, cwd: "/" });
    const ran: Ran = { code: undefined, said: "", complaint: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      ran.said = (ran.said + text).slice(0, mostKept);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      ran.complaint = (ran.complaint + text).slice(0, mostKept);
    });
    child.on("error", (error) => resolve({ ...ran, complaint: error.message }));
    child.on("close", (code) => resolve({ ...ran, code: code ?? undefined }));
  });
}
