import { describe, expect, it } from "vitest";
import { runEval } from "./eval";
import { runMatch } from "./match";

async function run(command: typeof runEval, argv: string[], files: Record<string, string> = {}, stdin = "") {
  let out = "";
  let err = "";
  const io: Parameters<typeof runEval>[1] = {
    readFile: async (path) => files[path] ?? Promise.reject(new Error("no such file")),
    stdin: async () => stdin,
    stdout: (text) => {
      out += text;
    },
    stderr: (text) => {
      err += text;
    },
  };
  return { code: await command(argv, io), out, err };
}

describe("gridloom eval", () => {
  it("prints the value of one expression", async () => {
    expect(await run(runEval, ["1/2.0 + 3"])).toEqual({ code: 0, out: "3.5\n", err: "" });
    expect((await run(runEval, ["1/2.0 + 3", "--new"])).out).toBe("3.500000000000000E+00\n");
    expect((await run(runEval, ["-5"])).out).toBe("-5\n");
  });
  it("evaluates against the files given", async () => {
    const files = { job: "[ Need = 2 ]", host: "Memory = 4\nNeed = 9\n" };
    expect(
      (await run(runEval, ["Memory > Need && TARGET.Need == 9", "--my", "job", "--target", "host"], files)).out,
    ).toBe("true\n");
  });
  it("reads one expression a line and keeps the lines side by side", async () => {
    const result = await run(runEval, ["-"], {}, '1 + 1\n1 +\n{1,"a"}\n');
    expect(result.out).toBe('2\nerror\n{ 1,"a" }\n');
    expect(result.err).toBe("line 2:4: The expression ends here, but a value is missing.\n  1 +\n     ^\n");
    expect(result.code).toBe(1);
  });
  it("says what is wrong with the command", async () => {
    expect((await run(runEval, [])).code).toBe(2);
    expect((await run(runEval, ["1", "--my"])).err).toContain("--my needs");
    expect((await run(runEval, ["1", "--my", "nowhere"])).err).toBe("nowhere cannot be read: no such file\n");
    expect((await run(runEval, ["1", "--my", "f"], { f: "[ a = ]" })).err).toContain("f:1:7:");
  });
});

describe("gridloom match", () => {
  const files = {
    hosts:
      '[Machine="a";Memory=1024] [Machine="b";Memory=8192;Load=2] [Machine="c";Memory=9000;Load=1; Requirements = Owner != "eve"]',
    job: '[Owner="eve"]',
  };
  it("lists the hosts that match, best rank first", async () => {
    const result = await run(runMatch, ["Memory > 2000", "--hosts", "hosts", "--rank", "Memory - 1000 * Load"], files);
    expect(result).toEqual({ code: 0, out: "c\t8000\nb\t6192\n2 of 3 hosts match.\n", err: "" });
  });
  it("explains ranks and refusals", async () => {
    const { out } = await run(
      runMatch,
      ["Memory > 2000", "--hosts", "hosts", "--rank", "Memory - 1000 * Load", "--explain"],
      files,
    );
    expect(out).toContain("b\t6192\n  +8192\tMemory is 8192\n  -2000\t1000 * Load is 2000\n");
    expect(out).toContain("a\tno match\n  Memory > 2000 is false (Memory is 1024)\n");
  });
  it("lets a host refuse the job", async () => {
    const { out } = await run(runMatch, ["Memory > 8500", "--hosts", "hosts", "--my", "job", "--explain"], files);
    expect(out).toContain('c\tno match\n  refused by the host: Owner != "eve" is false (Owner is "eve")\n');
    expect(out).toContain("0 of 3 hosts match.");
  });
  it("points at a fault in the requirement or the hosts", async () => {
    expect((await run(runMatch, ["Memory >", "--hosts", "hosts"], files)).err).toContain("requirement:1:9:");
    expect((await run(runMatch, ["true"], files)).code).toBe(2);
  });
});
