import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { encodeRequest, isPassable, type ShimRequest, shim } from "./shim";
import { perlShim } from "./shim-perl";

describe.each([
  ["in shell", "/bin/sh", shim],
  ["in Perl", "perl", perlShim],
])("the shim %s", (_, interpreter, program) => {
  let directory: string;
  let spool: string;
  let script: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "gridloom-shim-"));
    spool = join(directory, "attempt");
    script = join(directory, "shim");
    mkdirSync(spool);
    writeFileSync(script, program);
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const request = (words: string[], environment: Record<string, string> = {}): ShimRequest => ({
    spool,
    words,
    environment,
    workingDirectory: directory,
    fileBytes: 2 ** 20,
    mostProcesses: undefined,
    before: [],
    afterwards: [],
    mergeErrors: false,
  });

  /** Runs it on an input to its end and returns what it said. */
  const converse = (input: string) =>
    new Promise<string>((resolve) => {
      const child = spawn(interpreter, [script], { stdio: ["pipe", "pipe", "inherit"] });
      let said = "";
      child.stdout.on("data", (text) => {
        said += text;
      });
      child.on("close", () => resolve(said));
      child.stdin.end(input);
    });

  it("passes words exactly, whatever is in them", async () => {
    const words = [
      "",
      "a b",
      "  ",
      "it's",
      '"x"',
      "$HOME `id` $(id)",
      "back\\slash\\n",
      "two\nlines\n\nend\n",
      "*",
      "ünï✓",
      "=A",
      "+",
      "G",
      "-e",
    ]; // every trap we know
    expect(await converse(encodeRequest(request(["printf", "<%s>", ...words])))).toBe("ended 0\n");
    expect(readFileSync(join(spool, "stdout"), "utf8")).toBe(words.map((word) => `<${word}>`).join(""));
    expect(readFileSync(join(spool, "exit"), "utf8")).toBe("exit attempt 0\n");
  });

  it("passes many words", async () => {
    const words = Array.from({ length: 5000 }, (_, index) => `file-${index}.dat`);
    expect(await converse(encodeRequest(request(["printf", "%s\n", ...words])))).toBe("ended 0\n");
    expect(readFileSync(join(spool, "stdout"), "utf8")).toBe(words.map((word) => `${word}\n`).join(""));
  }, 20_000);

  it("tells the exit status and forgets one task's environment before the next", async () => {
    const next = join(directory, "next");
    mkdirSync(next);
    const first = encodeRequest(request(["sh", "-c", 'printf "%s" "$SECRET"; exit 7'], { SECRET: "a\nb" }));
    const second = encodeRequest({ ...request(["sh", "-c", 'printf "%s" "$SECRET"']), spool: next });
    expect(await converse(first + second)).toBe("ended 7\nended 0\n");
    expect(readFileSync(join(spool, "stdout"), "utf8")).toBe("a\nb");
    expect(readFileSync(join(next, "stdout"), "utf8")).toBe("");
  });

  it("starts nothing from a request that was cut short", async () => {
    const whole = encodeRequest(request(["sh", "-c", "touch ran"]));
    expect(await converse(whole.slice(0, -2))).toBe("ended never\n");
    expect(existsSync(join(directory, "ran"))).toBe(false);
    expect(existsSync(join(spool, "started"))).toBe(false);
    expect(existsSync(join(spool, "exit"))).toBe(false);
  });

  it("writes the status down although nobody listens any more", async () => {
    const child = spawn(interpreter, [script], { stdio: ["pipe", "pipe", "ignore"] });
    const ended = new Promise((resolve) => child.on("exit", resolve));
    child.stdin.write(encodeRequest(request(["sh", "-c", "sleep 0.3; exit 5"])));
    await new Promise((resolve) => child.stdin.end(resolve));
    child.stdout.destroy();
    await ended;
    expect(readFileSync(join(spool, "exit"), "utf8")).toBe("exit attempt 5\n");
  });

  it("does not let a task inherit an ignored SIGPIPE", async () => {
    await converse(encodeRequest(request(["sh", "-c", "grep SigIgn /proc/self/status"])));
    expect(readFileSync(join(spool, "stdout"), "utf8")).toMatch(/SigIgn:\s+0+\n/);
  });

  it("bounds the processes of a task's account", async () => {
    const words = ["grep", "Max processes", "/proc/self/limits"];
    await converse(encodeRequest({ ...request(words), mostProcesses: 4321 }));
    expect(readFileSync(join(spool, "stdout"), "utf8")).toMatch(/^Max processes +4321 +4321 /);
  });

  it("runs a command before the program, and nothing more if that fails", async () => {
    const before = ["sh", "-c", "echo preparing; touch prepared; exit ${1}", "sh"];
    await converse(encodeRequest({ ...request(["ls", "prepared"]), before: [...before, "0"] }));
    expect(readFileSync(join(spool, "stdout"), "utf8")).toBe("prepared\n");
    expect(readFileSync(join(spool, "around"), "utf8")).toBe("preparing\n");
    expect(existsSync(join(spool, "decided"))).toBe(false);
    const failing = { ...request(["touch", "ran"]), before: [...before, "3"], afterwards: ["touch", "ran"] };
    expect(await converse(encodeRequest(failing))).toBe("ended 3\n");
    expect(existsSync(join(directory, "ran"))).toBe(false);
    expect(readFileSync(join(spool, "decided"), "utf8")).toBe("before\n");
  });

  it("lets the command after the program decide, and tells it how the program ended", async () => {
    const afterwards = ["sh", "-c", 'printf "<%s>" "$@"; [ "$1" != 7 ]', "sh", "$RETURN", "a$RETURN,$RETURN's $RETUR"];
    expect(await converse(encodeRequest({ ...request(["sh", "-c", "exit 4"]), afterwards }))).toBe("ended 0\n");
    expect(readFileSync(join(spool, "around"), "utf8")).toBe("<4><a4,4's $RETUR>");
    expect(readFileSync(join(spool, "decided"), "utf8")).toBe("after 4\n");
    expect(await converse(encodeRequest({ ...request(["sh", "-c", "exit 7"]), afterwards }))).toBe("ended 1\n");
    expect(await converse(encodeRequest({ ...request(["sh", "-c", "kill -9 $$"]), afterwards }))).toBe("ended 0\n");
    expect(readFileSync(join(spool, "around"), "utf8")).toContain("<-9>");
  });

  it("starts nothing more of a task that was ended by its agent", async () => {
    const program = ["sh", "-c", `touch '${spool}/verdict.json'`];
    await converse(encodeRequest({ ...request(program), afterwards: ["touch", "cleaned"] }));
    expect(existsSync(join(directory, "cleaned"))).toBe(false);
    await converse(encodeRequest({ ...request(["touch", "ran"]), before: ["true"] }));
    expect(existsSync(join(directory, "ran"))).toBe(false);
  });

  it("puts errors and output into one file if that is wanted", async () => {
    const words = ["sh", "-c", "echo 1; echo 2 >&2; echo 3"];
    await converse(encodeRequest({ ...request(words), mergeErrors: true }));
    expect(readFileSync(join(spool, "stdout"), "utf8")).toBe("1\n2\n3\n");
  });

  it("cannot pass a NUL, and says so beforehand", () => {
    expect(isPassable("a\0b")).toBe(false);
    expect(isPassable("a\nb")).toBe(true);
  });
});
