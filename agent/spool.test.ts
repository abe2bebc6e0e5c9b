import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { assignmentOf } from "./agent-under-test";
import { Spool } from "./spool";

describe("the spool", () => {
  let directory: string;
  let spool: Spool;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "gridloom-spool-"));
    spool = new Spool(join(directory, "attempts"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("gives back what was written, to a later agent too", () => {
    const assignment = assignmentOf("true");
    const placement = { slot: 2, shim: { pid: 17, start: "boot/99" }, at: 1000, stagedBytes: 5 };
    const verdict = { is: "failed", reason: "time-limit", detail: "Too long." } as const;
    spool.admit(assignment);
    spool.place(assignment.attempt, placement);
    spool.judge(assignment.attempt, verdict);
    spool.collect(assignment.attempt, verdict);
    const recalled = new Spool(join(directory, "attempts")).recall();
    expect(recalled).toEqual([{ assignment, placement, verdict, collected: verdict }]);
    spool.remove(assignment.attempt);
    expect(spool.recall()).toEqual([]);
  });

  it("drops an attempt whose assignment is torn", () => {
    const torn = join(directory, "attempts", "01234567-89ab-cdef-0123-456789abcdef.1.1");
    mkdirSync(torn);
    writeFileSync(join(torn, "assignment.json"), '{"attempt":"0123');
    expect(spool.recall()).toEqual([]);
    expect(existsSync(torn)).toBe(false);
  });

  it("takes an exit status only when its line is complete", () => {
    const { attempt } = assignmentOf("true");
    mkdirSync(spool.directoryOf(attempt));
    const exit = join(spool.directoryOf(attempt), "exit");
    expect(spool.exitOf(attempt)).toBeUndefined();
    for (const torn of ["", "exit", `exit ${attempt} 1`, `exit ${attempt} x\n`, `exit ${attempt}0 1\n`]) {
      writeFileSync(exit, torn);
      expect(spool.exitOf(attempt)).toBeUndefined();
    }
    writeFileSync(exit, `exit ${attempt} 13\n`);
    expect(spool.exitOf(attempt)?.status).toBe(13);
  });

  it("takes nothing of an earlier attempt for a later one's, although the files are the same", () => {
    const first = assignmentOf("true");
    const next = assignmentOf("true");
    spool.admit(first);
    spool.openStreams(first.attempt, ["stdout", "stderr"], undefined);
    spool.place(first.attempt, { slot: 2, shim: { pid: 17, start: "boot/99" }, at: 1000, stagedBytes: 5 });
    spool.judge(first.attempt, { is: "cancelled" });
    for (const name of ["started", "exit"]) {
      writeFileSync(
        join(spool.directoryOf(first.attempt), name),
        `${name} ${first.attempt}${name === "exit" ? " 0" : ""}\n`,
      );
    }
    writeFileSync(spool.streamOf(first.attempt, "stdout"), "printed");
    expect(spool.exitOf(first.attempt)?.status).toBe(0);
    const { ino } = statSync(spool.streamOf(first.attempt, "stdout"));
    spool.remove(first.attempt);
    spool.admit(next);
    spool.openStreams(next.attempt, ["stdout", "stderr"], undefined);
    expect(statSync(spool.streamOf(next.attempt, "stdout"))).toMatchObject({ ino, size: 0 });
    expect(spool.exitOf(next.attempt)).toBeUndefined();
    expect(spool.hasStarted(next.attempt)).toBe(false);
    expect(spool.recall()).toEqual([
      { assignment: next, placement: undefined, verdict: undefined, collected: undefined },
    ]);
  });

  it("gives no stream of one run to a task of another", () => {
    const first = assignmentOf("true");
    const other = assignmentOf("true", { attempt: `fedcba98-89ab-cdef-0123-456789abcdef.1.1` });
    spool.admit(first);
    spool.openStreams(first.attempt, ["stdout", "stderr"], undefined);
    const held = openSync(spool.streamOf(first.attempt, "stdout"), "a");
    spool.remove(first.attempt);
    spool.admit(other);
    spool.openStreams(other.attempt, ["stdout", "stderr"], undefined);
    writeSync(held, "forged");
    closeSync(held);
    expect(statSync(spool.streamOf(other.attempt, "stdout")).size).toBe(0);
  });

  it("is closed to others", () => {
    const assignment = assignmentOf("true");
    spool.admit(assignment);
    expect(statSync(spool.directoryOf(assignment.attempt)).mode & 0o077).toBe(0);
  });
});
