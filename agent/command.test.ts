import { describe, expect, it } from "vitest";
import { resolveCommand } from "./command";

const exec = (executable: string, ...words: string[]) => ({ is: "exec" as const, executable, arguments: words });

describe("a task's command", () => {
  it("prefers a staged input of that name, with or without ./", () => {
    for (const name of ["true", "./true"]) {
      expect(resolveCommand(exec(name, "x"), new Set(["true"]))).toEqual({
        is: "runnable",
        words: ["./true", "x"],
        program: "true",
      });
    }
    expect(resolveCommand(exec("bin/tool"), new Set(["bin/tool"]))).toMatchObject({ program: "bin/tool" });
  });

  it("finds installed programs on a fixed path", () => {
    const found = resolveCommand(exec("sh", "-c", "exit"), new Set());
    expect(found).toMatchObject({ is: "runnable" });
    if (found.is === "runnable") expect(found.words[0]).toMatch(/^\/.*\/sh$/);
  });

  it("takes an absolute path as it is, if it can be run", () => {
    expect(resolveCommand(exec("/bin/sh"), new Set())).toEqual({ is: "runnable", words: ["/bin/sh"] });
    expect(resolveCommand(exec("/etc/passwd"), new Set())).toMatchObject({
      detail: expect.stringContaining("not marked"),
    });
    expect(resolveCommand(exec("/no/such"), new Set())).toMatchObject({
      detail: expect.stringContaining('"/no/such"'),
    });
    expect(resolveCommand(exec("/etc"), new Set())).toMatchObject({ is: "missing" });
  });

  it("names what is missing", () => {
    expect(resolveCommand(exec("no-such-program"), new Set())).toMatchObject({
      is: "missing",
      detail: expect.stringContaining('"no-such-program"'),
    });
    expect(resolveCommand(exec("sub/tool"), new Set())).toMatchObject({ is: "missing" });
  });

  it("gives a command line to sh", () => {
    const line = "echo $HOME; ls | wc";
    expect(resolveCommand({ is: "shell", line }, new Set())).toEqual({
      is: "runnable",
      words: ["/bin/sh", "-c", line],
    });
  });
});
