import { describe, expect, it } from "vitest";
import { adFromData, explainRank, explainRequirement, failureText, parseExpression, readAd } from "./index";

const expr = (text: string) => {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.value;
};
const target = adFromData({ Machine: "n1", Memory: 2048, Arch: "aarch64", Cpus: 4, LoadAvg: 0.25 });
const failing = (text: string, my?: ReturnType<typeof adFromData>) =>
  explainRequirement(expr(text), my ? { my, target } : { target }).failing.map(failureText);

describe("explaining a requirement", () => {
  it("names every clause of && that is not true, with the facts", () => {
    expect(failing('Memory >= 4096 && Arch == "X86_64" && Cpus > 1')).toEqual([
      "Memory >= 4096 is false (Memory is 2048)",
      'Arch == "X86_64" is false (Arch is "aarch64")',
    ]);
  });
  it("names all alternatives of || when none holds, and none when one does", () => {
    expect(failing('Arch == "X86_64" || HasQemu')).toEqual([
      'Arch == "X86_64" is false (Arch is "aarch64")',
      "HasQemu is undefined",
    ]);
    expect(failing('Arch == "X86_64" || Cpus == 4')).toEqual([]);
  });
  it("turns around inside a negation", () => {
    expect(failing('!(Arch == "aarch64" && Cpus == 4)')).toEqual([
      'Arch == "aarch64" is true (Arch is "aarch64")',
      "Cpus == 4 is true (Cpus is 4)",
    ]);
  });
  it("tells an attribute that the host does not have from one that is too small", () => {
    expect(failing("TARGET.Gpus > 0")).toEqual(["TARGET.Gpus > 0 is undefined (TARGET.Gpus is undefined)"]);
    expect(failing('Memory > "big"')).toEqual(['Memory > "big" is error (Memory is 2048)']);
  });
  it("opens up a name that stands for an expression of the job", () => {
    const read = readAd("[ Requirements = Fits && Cpus > 8; Fits = Memory > Need; Need = 4096 ]");
    if (!read.ok) throw new Error("ad");
    expect(failing("Requirements", read.ad)).toEqual([
      "Memory > Need is false (Memory is 2048, Need is 4096)",
      "Cpus > 8 is false (Cpus is 4)",
    ]);
  });
  it("follows the branch of a choice that was taken", () => {
    expect(failing('Arch == "aarch64" ? Cpus > 8 : true')).toEqual(["Cpus > 8 is false (Cpus is 4)"]);
  });
  it("gives the whole tree with a value for each clause and its place in the text", () => {
    const text = "Memory > 1 && (Cpus > 9 || Cpus < 9)";
    const { matches, clause } = explainRequirement(expr(text), { target });
    expect(matches).toBe(true);
    expect(clause.parts.map((part) => [part.kind, part.valueText, text.slice(part.at?.start, part.at?.end)])).toEqual([
      ["test", "true", "Memory > 1"],
      ["any", "true", "(Cpus > 9 || Cpus < 9)"],
    ]);
  });
});

describe("explaining a rank", () => {
  it("gives its terms with their signs, and the factors of products", () => {
    const { rank, terms } = explainRank(expr("Memory / 1024 - 10 * LoadAvg + (Cpus - 1)"), { target });
    expect(rank).toBe(2.5);
    expect(terms.map(({ text, contribution }) => [text, contribution])).toEqual([
      ["Memory / 1024", 2],
      ["10 * LoadAvg", -2.5],
      ["Cpus", 4],
      ["1", -1],
    ]);
    expect(terms[1]?.parts.map((part) => part.valueText)).toEqual(["10", "0.25"]);
    expect(terms.reduce((sum, term) => sum + term.contribution, 0)).toBe(rank);
  });
  it("counts a rank that is no number as 0", () => {
    expect(explainRank(expr("Nothing * 2"), { target }).rank).toBe(0);
    expect(explainRank(expr("Cpus == 4"), { target }).rank).toBe(1);
  });
});
