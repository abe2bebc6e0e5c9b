/** Texts nobody would write: the reader must survive them, quickly, and say where each error is. */
import { expect, it } from "vitest";
import { fuzz, someThousand } from "@/core/fuzz-for-tests";
import { read, templates } from "./fuzz-texts-for-tests";

fuzz(templates, someThousand);

it.each(["EXECUTABLE = x\n", "A", "ENVIRONMENT = A=1,", "${", "${X}", '"', " ", "INPUT_FILES = ,", "a b "])(
  "a megabyte of %j does not hang",
  (unit) => {
    const text = `EXECUTABLE = x\nARGUMENTS = ${unit.repeat(Math.floor(1_000_000 / unit.length))}`;
    expect(read(text).problems.length).toBeLessThanOrEqual(202);
    expect(read(text.replace("ARGUMENTS", "ENVIRONMENT")).problems.length).toBeLessThanOrEqual(202);
    expect(read(text.replace("ARGUMENTS", "INPUT_FILES")).problems.length).toBeLessThanOrEqual(202);
  },
  60_000,
);
