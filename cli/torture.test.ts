import { describe, expect, it } from "vitest";
import { runTorture } from "./torture";

function torture(...argv: string[]): { code: number; out: string; err: string } {
  const written = { out: "", err: "" };
  const code = runTorture(argv, {
    stdout: (text) => {
      written.out += text;
    },
    stderr: (text) => {
      written.err += text;
    },
  });
  return { code, ...written };
}

describe("gridloom torture", () => {
  it("sweeps the seeds it is told and exits 0 when every rule held", () => {
    const { code, out } = torture("--seeds", "3", "--from", "40");
    expect(out).toMatch(/^3 seeds from 40, \d+ events: every rule held\n$/);
    expect(code).toBe(0);
  });

  it("finds a planted bug, says which seed shows it, and replays that seed with its log", () => {
    const found = torture("--seeds", "100", "--plant", "double-slot");
    expect(found.code).toBe(1);
    const seed = /^seed (\d+): .*promised/.exec(found.out)?.[1] ?? "";
    const replayed = torture("--seed", seed, "--plant", "double-slot");
    expect(replayed.out).toMatch(/engine 1 takes the lease/);
    expect(replayed.out).toMatch(/promised to an agent/);
    expect(replayed.code).toBe(1);
  });

  it("says what is wrong with its arguments", () => {
    expect(torture("--plant", "roses")).toMatchObject({ code: 2, err: expect.stringMatching(/^--plant takes one of/) });
    expect(torture("--seeds", "many")).toMatchObject({ code: 2, err: expect.stringMatching(/whole number/) });
    expect(torture("--seeds", "0").code).toBe(2);
    expect(torture("--sides", "3").err).toMatch(/^There is no option --sides/);
  });
});
