/** Texts nobody would write: the reader must survive them, quickly, and say where each error is. */
import { describe, expect, it } from "vitest";
import { fuzz, repeated, someThousand } from "@/core/fuzz-for-tests";
import { parseDagman } from ".";
import { dags } from "./fuzz-texts-for-tests";

fuzz(dags, someThousand);

describe("a megabyte of nonsense", () => {
  it.each([
    ["words", "lorem ipsum\n"],
    ["one line of words", "JOB "],
    ["nodes", "JOB a b\n"],
    ["parents", "PARENT "],
    ["quotes", '"'],
    ["a line of variables", 'VARS A x="1" '],
    ["variables", ' x="1"'],
    ["continued lines", "\\\n"],
    ["blanks", " "],
    ["braces", "JOB a {\n"],
    ["backslashes", "\\"],
    ["inclusions", "INCLUDE a\n"],
  ])(
    "%s do not hang",
    (_, unit) => {
      expect(parseDagman(repeated(unit), { readFile: () => undefined }).problems.length).toBeLessThanOrEqual(202);
    },
    60_000,
  );

  it.each([
    ["settings", "executable = x\n"],
    ["macros", "a = $(a)$(a)\n"],
    ["one line of macros", "$(a)"],
    ["conditions", "if true\n"],
    ["queues", "queue 2\n"],
    ["one long queue", "queue 1"],
    ["blanks before nothing", "queue   "],
    ["items", "queue in ("],
    ["arguments", "arguments = \"'''\"\n"],
    ["inclusions", "include : s.sub\n"],
  ])(
    "of submit files (%s) do not hang",
    (_, unit) => {
      const text = `executable = /x\n${repeated(unit)}`;
      expect(parseDagman("JOB A s.sub", { readFile: () => text }).problems.length).toBeLessThanOrEqual(202);
    },
    60_000,
  );
});
