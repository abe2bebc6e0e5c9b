/**
 * Runs one program of the set-up. Its output is kept and shown only when it fails; a signal to us ends it too.
 */
import { spawn } from "node:child_process";
import { SetupProblem } from "./console.mjs";
import { root } from "./fingerprint.mjs";

export function runStep(what, command, args, environment = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const keep = (chunk) => {
      output = (output + chunk).slice(-20_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const interrupt = (signal) => {
      child.kill(signal);
      process.exit(signal === "SIGINT" ? 130 : 143);
    };
    process.on("SIGINT", interrupt);
    process.on("SIGTERM", interrupt);
    const done = () => {
      process.removeListener("SIGINT", interrupt);
      process.removeListener("SIGTERM", interrupt);
    };
    child.on("error", (error) => {
      done();
      reject(new SetupProblem(`${what} failed: ${command} could not be started (${error.message}).`));
    });
    child.on("close", (code, signal) => {
      done();
      if (code === 0) return resolve();
      const tail = output.trimEnd().split("\n").slice(-40).join("\n");
      reject(new SetupProblem(`${tail}\n\n${what} failed (${signal ? `signal ${signal}` : `exit code ${code}`}).`));
    });
  });
}
