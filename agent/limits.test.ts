import { describe, expect, it } from "vitest";
import { failureOf } from "./exit-status";
import { inWords } from "./limits";

describe("limits and exit statuses in words", () => {
  it("says sizes as people do", () => {
    expect([0, 512, 1024, 1536, 3 * 2 ** 30].map(inWords)).toEqual(["0 bytes", "512 bytes", "1 KB", "1.5 KB", "3 GB"]);
  });

  it("tells exit codes from signals", () => {
    expect(failureOf(0)).toBeUndefined();
    expect(failureOf(3)).toEqual({ is: "failed", reason: "exit-code", exitCode: 3 });
    expect(failureOf(137)).toMatchObject({ reason: "signal", signal: "SIGKILL" });
    expect(failureOf(134)).toMatchObject({ reason: "signal", signal: "SIGABRT" });
    expect(failureOf(153)).toMatchObject({ reason: "output-limit" });
    expect(failureOf(255)).toEqual({ is: "failed", reason: "exit-code", exitCode: 255 });
  });
});
