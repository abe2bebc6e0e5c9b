/** Which of the files that came together is the workflow. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { pickWorkflow, readWithCompanions, type TextFile } from "./pick";

const examples = new URL("../../examples/", import.meta.url);

function example(folder: string, ...names: string[]): TextFile[] {
  return names.map((name) => ({ name, text: readFileSync(new URL(`${folder}/${name}`, examples), "utf8") }));
}

function pick(files: TextFile[]): string | string[] {
  const picked = pickWorkflow(files);
  if (picked.is === "none") return "none";
  if (picked.is === "workflow") return `${picked.file.name} as ${picked.format.name}`;
  return picked.candidates.map(({ file, format }) => `${file.name} as ${format.name}`);
}

const file = (name: string, text: string): TextFile => ({ name, text });

describe("the workflow among files", () => {
  it("is found by content, whatever its name", () => {
    const named = (name: string, [from]: TextFile[]) => [file(name, from!.text)];
    expect(pick(named("x.txt", example("dagman", "diamond.dag")))).toBe("x.txt as dagman");
    expect(pick(named("notes", example("wfformat", "words.json")))).toBe("notes as wfformat");
    expect(pick(named("a.dat", example("gridway", "pi.jt")))).toBe("a.dat as gridway");
    expect(pick(named("a.dat", example("diamond", "diamond.gadl")))).toBe("a.dat as gridadl");
    expect(pick([file("a.dat", "parent a child b\ntask a -e p\ntask b -e p")])).toBe("a.dat as gridadl");
  });

  it("is the DAG, not its submit files or its data, in whatever order they come", () => {
    const files = example("dagman", "split.sub", "poem.txt", "look.sub", "count.awk", "diamond.dag", "longest.awk");
    expect(pick(files)).toBe("diamond.dag as dagman");
    expect(pick(files.reverse())).toBe("diamond.dag as dagman");
  });

  it("is the DAG that splices the other one", () => {
    expect(pick(example("dagman", "inner.dag", "twice.dag"))).toBe("twice.dag as dagman");
  });

  it("is the one that reads the other as data", () => {
    const files = [file("a.gadl", "task A -e wc -i b.gadl\n"), file("b.gadl", "task B -e true\n")];
    expect(pick(files)).toBe("a.gadl as gridadl");
  });

  it("is asked for where nothing tells", () => {
    const names = readdirSync(new URL("dagman", examples)).filter((name) => name.includes("."));
    expect(pick(example("dagman", ...names))).toEqual([
      "diamond.dag as dagman",
      "scripts.dag as dagman",
      "twice.dag as dagman",
    ]);
    expect(pick([file("a.gadl", "task A -e true\n"), file("b.dag", "JOB B b.sub NOOP\n")])).toHaveLength(2);
  });

  it("is rather the one without errors", () => {
    expect(pick([file("a.txt", "task A -e true\ntusk\n"), file("b.txt", "task B -e true\n")])).toBe("b.txt as gridadl");
  });

  it("may have errors: they are to be shown", () => {
    expect(pick([file("a.txt", "task A -e true\ntusk\n")])).toBe("a.txt as gridadl");
    expect(pick([file("w.json", '{"schemaVersion": "1.5", "workflow": {"speci')])).toBe("w.json as wfformat");
    expect(pick([file("a.dag", "")])).toBe("none");
  });

  it("is not data, a submit file alone, JSON of something else, or bytes", () => {
    expect(pick([file("data.txt", "1 2 3\n4 5 6\n"), file("poem.txt", "The tasks go out,\ntask by task\n")])).toBe(
      "none",
    );
    expect(pick([file("a.sub", "EXECUTABLE = /bin/true\nqueue\n")])).toBe("none");
    expect(pick([file("p.json", '{"alpha": 1}')])).toBe("none");
    expect(pick([file("b.bin", "task A -e true\n\0\0"), file("c.bin", `task A -e true\n${"\uFFFD".repeat(9)}`)])).toBe(
      "none",
    );
  });

  it("may have a character that is not UTF-8 in a comment", () => {
    expect(pick([file("a.txt", `# Gr\uFFFD\uFFFDe\n${"task -e true\n".repeat(20)}`)])).toBe("a.txt as gridadl");
  });
});

describe("companions", () => {
  it("are kept under the name the text calls them by", () => {
    const main = file("w.dag", "JOB A sub/a.sub\nJOB B ./b.sub\nSPLICE S ../s.dag\nJOB C /home/ada/c.sub\n");
    const names = ["a.sub", "b.sub", "s.dag", "c.sub", "other.txt"];
    const { companions } = readWithCompanions(
      main,
      names.map((name) => file(name, "executable = /bin/true\nqueue\n")),
    );
    expect([...companions].map(([name, from]) => [name, from.name]).sort()).toEqual([
      ["b.sub", "b.sub"],
      ["home/ada/c.sub", "c.sub"],
      ["sub/a.sub", "a.sub"],
      ["up/s.dag", "s.dag"],
    ]);
  });

  it("come in through companions", () => {
    const { companions, inputs } = readWithCompanions(file("w.dag", "INCLUDE i.dag\n"), [
      file("i.dag", "JOB A a.sub\n"),
      file("a.sub", "executable = prog\nqueue\n"),
    ]);
    expect([...companions.keys()]).toEqual(["i.dag", "a.sub"]);
    expect(inputs.map(({ name }) => name)).toEqual(["prog"]);
  });

  it("are not guessed where one file could be two", () => {
    const { companions } = readWithCompanions(file("w.dag", "JOB A one/j.sub\nJOB B two/j.sub\n"), [
      file("j.sub", "queue"),
    ]);
    expect(companions.size).toBe(0);
  });
});
