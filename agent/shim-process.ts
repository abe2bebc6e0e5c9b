/** A running shim, as the agent holds it: started once per slot, told one task at a time. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { startOf } from "./processes";
import { encodeRequest, type ShimRequest } from "./shim";
import type { Shim } from "./shim-choice";
import { plainEnvironment, taskPath } from "./task-environment";

/** `never`: the program was not started. `vanished`: the shim itself ended, so nobody saw the program end. */
export type ShimAnswer = number | "never" | "vanished";

export class ShimProcess {
  readonly pid: number;
  readonly start: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  #answer: ((answer: ShimAnswer) => void) | undefined;
  #alive = true;

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>, pid: number, start: string) {
    this.#child = child;
    this.pid = pid;
    this.start = start;
    let heard = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      heard += text;
      const line = /^ended (\d+|never)\n/.exec(heard);
      if (!line) return;
      heard = heard.slice(line[0].length);
      this.#reply(line[1] === "never" ? "never" : Number(line[1]));
    });
    // What is written to a shim that has just ended is lost with it; its end is heard as `exit`.
    child.stdin.on("error", () => {});
    child.on("exit", () => {
      this.#alive = false;
      this.#reply("vanished");
    });
  }

  /** In its own session, so that what ends the agent's terminal or process group does not reach it. */
  static async start({ words }: Shim): Promise<ShimProcess> {
    // What the shim has in its environment its tasks would have in theirs: nothing but the search path.
    const child = spawn("env", ["-i", `PATH=${taskPath}`, ...words], {
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
      cwd: "/",
      env: plainEnvironment,
    });
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    const start = child.pid === undefined ? undefined : startOf(child.pid);
    if (child.pid === undefined || start === undefined) throw new Error("The shim ended as soon as it was started.");
    return new ShimProcess(child, child.pid, start);
  }

  get alive(): boolean {
    return this.#alive;
  }

  run(request: ShimRequest): Promise<ShimAnswer> {
    if (!this.#alive) return Promise.resolve("vanished");
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#child.stdin.write(encodeRequest(request));
    });
  }

  /** It ends by itself, after the task it has. */
  end(): void {
    this.#child.stdin.end();
  }

  #reply(answer: ShimAnswer): void {
    const answered = this.#answer;
    this.#answer = undefined;
    answered?.(answer);
  }
}
