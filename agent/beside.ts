/**
 * Programs of the user's that are run beside a task, under the task's account and in its directory (GW-4): the performance
 * evaluator, the resource selector. Bounded in time and in what they may print; what they start ends with the task at the latest.
 */
import { spawn } from "node:child_process";
import { log, sentenceOf } from "./log";

export interface BesideCall {
  words: readonly string[];
  directory: string;
  environment: Record<string, string>;
  input?: string;
  patienceMs: number;
}

export interface BesideAnswer {
  /** Undefined: it did not end by itself. */
  exitCode: number | undefined;
  printed: string;
}

const mostPrinted = 64 * 1024;

export async function runBeside({
  words,
  directory,
  environment,
  input,
  patienceMs,
}: BesideCall): Promise<BesideAnswer> {
  const [program, ...rest] = words;
  if (program === undefined) return { exitCode: undefined, printed: "" };
  return await new Promise((resolve) => {
    const child = spawn(program, rest, {
      cwd: directory,
      env: { NODE_ENV: "production", ...environment },
      stdio: ["pipe", "pipe", "ignore"],
    });
    let printed = "";
    const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      if (printed.length < mostPrinted) printed += piece.slice(0, mostPrinted - printed.length);
    });
    child.stdin.on("error", () => undefined).end(input ?? "");
    const done = (exitCode: number | undefined) => {
      clearTimeout(timer);
      resolve({ exitCode, printed });
    };
    child.on("error", (error) => {
      log(`${program} could not be run: ${sentenceOf(error)}`);
      done(undefined);
    });
    child.on("close", (code) => done(code ?? undefined));
  });
}
