/** Texts nobody would write: the reader must survive them, quickly, and say where each error is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectPlaces, mutated, soup } from "@/core/languages/mutate-for-tests";
import { buildWorkflow } from "@/core/workflow/build";
import { parseDagman } from ".";
import { fragments, read, texts } from "./fuzz-texts-for-tests";

describe("mutated DAGs", () => {
  it("are read without a crash, every problem with a place inside the text", () => {
    fc.assert(
      fc.property(mutated(texts, fragments), soup(fragments), (text, file) => {
        const { application, problems } = read(text, file);
        expectPlaces(text, problems);
        buildWorkflow(application);
      }),
      { numRuns: 3000 },
    );
  }, 60_000);

  it("made only of fragments are read too", () => {
    fc.assert(
      fc.property(soup(fragments), (text) => expectPlaces(text, read(text).problems)),
      { numRuns: 2000 },
    );
  }, 60_000);
});

describe("a megabyte of nonsense", () => {
  const megabyte = (unit: string): string => unit.repeat(Math.ceil((1024 * 1024) / unit.length));
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
      expect(parseDagman(megabyte(unit), { readFile: () => undefined }).problems.length).toBeLessThanOrEqual(202);
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
      const text = `executable = /x\n${megabyte(unit)}`;
      expect(parseDagman("JOB A s.sub", { readFile: () => text }).problems.length).toBeLessThanOrEqual(202);
    },
    60_000,
  );
});
