/** Where each of the files that were dropped together goes. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Description } from "./description";
import { type Choice, type DroppedFile, readDropped, sortDropped } from "./dropped-files";
import type { FileStates } from "./input-files";

const empty: Description = { text: "", companions: new Map() };
const none: FileStates = new Map();

const dropped = (name: string, text: string): DroppedFile => ({ name, size: text.length, text: async () => text });
const example = (path: string): DroppedFile =>
  dropped(path.split("/").at(-1) ?? path, readFileSync(new URL(`../../examples/${path}`, import.meta.url), "utf8"));

async function sort(files: DroppedFile[], present = empty, known = none, choice?: Choice) {
  const sorted = sortDropped(await readDropped(files), present, known, choice);
  if (sorted.is === "choice") return { choice: sorted.candidates.map(({ name }) => name) };
  const names = (placed: readonly { name: string }[]) => placed.map(({ name }) => name);
  return {
    main: sorted.is === "workflow" ? sorted.main.name : undefined,
    companions: names(sorted.companions),
    inputs: names(sorted.inputs),
  };
}

const diamond = ["diamond.dag", "split.sub", "look.sub", "poem.txt", "count.awk", "longest.awk"].map((name) =>
  example(`dagman/${name}`),
);

describe("files dropped together", () => {
  it("are a DAG, its submit files, and inputs", async () => {
    expect(await sort(diamond)).toEqual({
      main: "diamond.dag",
      companions: ["split.sub", "look.sub"],
      inputs: ["poem.txt", "count.awk", "longest.awk"],
    });
  });

  it("go into the folders the new text names", async () => {
    const files = [
      dropped("w.dag", "JOB A jobs/a.sub\n"),
      dropped("a.sub", "executable = bin/prog\ntransfer_input_files = in/x.dat\nqueue\n"),
      dropped("prog", "#!/bin/sh\n"),
      dropped("x.dat", "1\n"),
    ];
    expect(await sort(files)).toEqual({ main: "w.dag", companions: ["jobs/a.sub"], inputs: ["bin/prog", "in/x.dat"] });
  });

  it("are all inputs if none is a workflow", async () => {
    expect(await sort([dropped("a.txt", "1 2\n"), dropped("b.txt", "3\n")])).toEqual({
      main: undefined,
      companions: [],
      inputs: ["a.txt", "b.txt"],
    });
  });

  it("are asked about if two could be the workflow, and the answer decides", async () => {
    const files = [...diamond, example("dagman/twice.dag"), example("dagman/inner.dag")];
    expect(await sort(files)).toEqual({ choice: ["diamond.dag", "twice.dag"] });
    expect(await sort(files, empty, none, { workflow: "twice.dag" })).toMatchObject({
      main: "twice.dag",
      companions: ["inner.dag"],
    });
    expect(await sort(files, empty, none, { workflow: undefined })).toMatchObject({ main: undefined, companions: [] });
  });
});

describe("files dropped on an open workflow", () => {
  const open: Description = {
    name: "w.dag",
    text: "JOB A jobs/a.sub\n",
    companions: new Map([["jobs/a.sub", "executable = p\ntransfer_input_files = task.txt\nqueue\n"]]),
  };

  it("are what it asks for, even if they look like workflows", async () => {
    const files = [dropped("task.txt", "task A -e true\n"), dropped("p", "JOB A a NOOP\n")];
    expect(await sort(files, open)).toEqual({ main: undefined, companions: [], inputs: ["task.txt", "p"] });
  });

  it("replace a companion of that name", async () => {
    const files = [dropped("a.sub", "executable = q\nqueue\n")];
    expect(await sort(files, open)).toEqual({ main: undefined, companions: ["jobs/a.sub"], inputs: [] });
  });

  it("replace the workflow if one of them is another", async () => {
    expect(await sort([dropped("v.gadl", "task B -e true\n")], open)).toMatchObject({ main: "v.gadl" });
  });

  it("are inputs if they are too large to be looked at", async () => {
    const large = { ...dropped("v.gadl", "task B -e true\n"), size: 17 * 1024 * 1024 };
    expect(await sort([large], open)).toEqual({ main: undefined, companions: [], inputs: ["v.gadl"] });
  });
});
