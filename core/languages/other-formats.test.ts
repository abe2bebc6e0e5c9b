/** Texts nobody would write, in the thesis' other languages: survived, quickly, with a place for each error. */
import { expect, it } from "vitest";
import { fuzz, repeated } from "@/core/fuzz-for-tests";
import { otherFormats } from "./other-formats-fuzz-for-tests";

/** Two kinds of texts for each: some thousands together, and the ten formats do not take longer than the others. */
const runs = 1000;
for (const format of otherFormats) fuzz(format, runs);

const units = ["<a>", "<a/>", "a|", "(", 'x={exec="a"}\n', "TR a(", "DV a(b=@{input:c});", "&", "<a b='", '"'];
it.each(otherFormats.flatMap(({ name, read }) => units.map((unit) => [name, unit, read] as const)))(
  "%s: a megabyte of %j does not hang",
  (_, unit, read) => {
    const started = performance.now();
    expect(read(repeated(unit), "").length).toBeLessThanOrEqual(202);
    expect(performance.now() - started).toBeLessThan(5000);
  },
  20_000,
);
