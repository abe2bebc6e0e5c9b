/** Runs one program without a shell: input, bounded output, an end in any case. Both runners are built on it. */
import { spawn } from "node:child_process";
import { mostOutputBytes } from "./command-runner";
import { systemPath } from "./try-program";

export interface ProcessEnd {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  durationMs: number;
  /** Why it was stopped by us, or that it never ran. */
  stopped?: { why: "timed-out" | "too-much-output" | "not-started"; detail: string };
}

/** Nothing of the portal's environment, which holds secrets. Messages in English, so that they can be understood. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return {
    PATH: systemPath,
    HOME: process.env.HOME ?? "/",
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    NODE_ENV: "production",
  };
}

export function runProcess(
  words: readonly string[],
  options: { stdin?: string | Uint8Array; timeoutMs: number; mostBytes?: number },
): Promise<ProcessEnd> {
  const [program = "", ...rest] = words;
  const most = options.mostBytes ?? mostOutputBytes;
  return new Promise((resolve) => {
    const began = performance.now();
    // A group of its own: what it started is ended with it.
    const child = spawn(program, rest, {
      cwd: "/",
      env: plainEnvironment(),
      stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      detached: true,
    });
    let stopped: ProcessEnd["stopped"];
    let bytes = 0;
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    const stop = (why: "timed-out" | "too-much-output", detail: string) => {
      if (stopped) return;
      stopped = { why, detail };
      killGroup(child.pid);
      // Something outside the group may hold the pipes open; the command has ended all the same.
      setTimeout(finish, 500, null).unref();
    };
    const collect = (into: Buffer[]) => (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > most) stop("too-much-output", `more than ${most} bytes of output`);
      else into.push(chunk);
    };
    let finished = false;
    const timer = setTimeout(() => stop("timed-out", `no end after ${options.timeoutMs / 1000} s`), options.timeoutMs);
    const finish = (exitCode: number | null) => {
      if (finished) return;
      finished = true;
      clearTimeout(timer);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({
        exitCode,
        stdout: Buffer.concat(stdout).toString("utf8"),
        stderr: Buffer.concat(stderr).toString("utf8"),
        durationMs: Math.round(performance.now() - began),
        ...(stopped && { stopped }),
      });
    };
    child.stdout?.on("data", collect(stdout));
    child.stderr?.on("data", collect(stderr));
    child.on("error", (error) => {
      stopped ??= { why: "not-started", detail: error.message };
      finish(null);
    });
    child.on("close", (code) => finish(code));
    // It may end without reading all of it.
    child.stdin?.on("error", () => {});
    if (options.stdin !== undefined) child.stdin?.end(options.stdin);
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
