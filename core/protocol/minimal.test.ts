import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import type { Assignment } from "./agent";
import { decodeName, encodeName, minimalObstacle, parseEnd, parseHostText, taskText } from "./minimal";

const names = ["plain.txt", "a b/c'd", "ö\n\\n", "-x", '"$(touch x)"', "\\0101"];

test("names survive a shell's printf and come back", () => {
  for (const name of names) {
    const encoded = encodeName(name);
    expect(encoded).toMatch(/^[A-Za-z0-9._/\\-]+$/);
    expect(decodeName(encoded)).toBe(name);
    expect(execFileSync("sh", ["-c", 'printf %b "$1"', "sh", encoded], { encoding: "utf8" })).toBe(name);
  }
  expect(decodeName(encodeName("../out"))).toBeUndefined();
});

const assignment: Assignment = {
  attempt: "01234567-89ab-cdef-0123-456789abcdef.3.1",
  epoch: 4,
  taskName: "t",
  runName: "it's a run",
  taskIndex: 3,
  command: { is: "exec", executable: "printf", arguments: ["%s|", "a  b", "$HOME", "it's", "`id`"] },
  inputs: [{ name: "in put", sha256: "ab".repeat(32), size: 3, kept: false }],
  outputs: [{ name: "o", transient: true }],
  environment: [{ name: "GREETING", value: "hello 'you'" }],
  limits: { wallSeconds: 60, memoryBytes: 2 ** 33, outputBytes: 1, streamBytes: 10 },
};

test("a task's words and variables reach it as they are", () => {
  const run = (task: Assignment) => {
    const script = taskText(task).split("\nscript\n")[1] ?? "";
    return execFileSync("sh", ["-c", script, "sh", "/tmp"], { encoding: "utf8" });
  };
  expect(run(assignment)).toBe("a  b|$HOME|it's|`id`|");
  const line = 'echo "$GREETING in $GRIDLOOM_RUN as $GW_TASK_ID"';
  expect(run({ ...assignment, command: { is: "shell", line } })).toBe("hello 'you' in it's a run as 3\n");
  expect(taskText(assignment).split("\n").slice(0, 5)).toEqual([
    "attempt 01234567-89ab-cdef-0123-456789abcdef.3.1 4",
    "wall 60",
    "stream 10",
    `input ${"ab".repeat(32)} - stored in\\0040put`,
    "output kept o",
  ]);
});

test("what it cannot do is said before it is tried", () => {
  expect(minimalObstacle(assignment)).toBeUndefined();
  expect(minimalObstacle({ ...assignment, before: ["x"] })).toMatch(/before and after/);
});

test("how a task ended", () => {
  const sha256 = "cd".repeat(32);
  expect(parseEnd(`exit 0\nstarted 5\nat 7\noutput ${sha256} 12 stored a\\0040b\n`)).toEqual({
    outcome: { is: "succeeded", outputs: [{ name: "a b", sha256, size: 12, transient: false }] },
    startedAt: 5000,
    endedAt: 7000,
  });
  expect(parseEnd("exit 3\n")?.outcome).toMatchObject({ is: "failed", reason: "exit-code", exitCode: 3 });
  expect(parseEnd("exit 137\n")?.outcome).toMatchObject({ reason: "signal", signal: "SIGKILL" });
  expect(parseEnd("exit 127\n")?.outcome).toMatchObject({ reason: "executable-missing" });
  expect(parseEnd("exit 0\nmissing a\n")?.outcome).toMatchObject({ reason: "output-missing" });
  expect(parseEnd("gone\nmissing a\n")?.outcome).toEqual({ is: "inputs-missing", files: ["a"] });
  for (const text of ["", "exit", "exit 300\n", "exit 0\noutput nothash 1 stored a\n", "hello"]) {
    expect(parseEnd(text)).toBeUndefined();
  }
});

test("what a host tells", () => {
  expect(parseHostText("name n1\nos Linux 6.1\narch x86_64\ncpus 8\nmemory 1024\n")).toMatchObject({
    name: "n1",
    os: "Linux 6.1",
    cpus: 8,
    memoryBytes: 1024,
  });
  expect(parseHostText("cpus many\n")).toBeUndefined();
});
