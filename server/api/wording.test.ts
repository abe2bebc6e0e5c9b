import { describe, expect, it } from "vitest";
import { wordAttempt } from "./wording";

const ended = { exitCode: null, signal: null, detail: null };

describe("why an attempt ended", () => {
  it("tells an attempt that another one overtook from one that was killed with its run", () => {
    expect(wordAttempt({ ...ended, outcome: "cancelled", reason: "superseded" })).toBe(
      "The attempt was stopped because another one at the same task was first.",
    );
    expect(wordAttempt({ ...ended, outcome: "cancelled", reason: null })).toBe(
      "The task was stopped because its run was killed.",
    );
  });

  it("tells a passed deadline from a silent agent", () => {
    expect(wordAttempt({ ...ended, outcome: "lost", reason: "deadline-passed" })).toBe(
      "The attempt passed its deadline.",
    );
    expect(wordAttempt({ ...ended, outcome: "lost", reason: "agent-silent" })).toContain("not heard of");
  });

  it("is silent while the attempt runs", () => {
    expect(wordAttempt({ ...ended, outcome: null, reason: null })).toBe("");
  });
});
