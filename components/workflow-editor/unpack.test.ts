import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { zipOf } from "@/core/zip";
import { unpackDropped } from "./unpack";

const example = (path: string): string => readFileSync(new URL(`../../examples/${path}`, import.meta.url), "utf8");
const grand = ["manifest.xml", "tasks.xml", "edges.xml", "clusters.xml", "in1.dat"].map((name) => ({
  name,
  text: example(`grand/${name}`),
}));
const names = async (file: File, wanted: string[] = []) => {
  const { files, refused } = await unpackDropped([file], new Set(wanted));
  return { files: files.map(({ name }) => name), refused };
};

describe("a zip that is dropped", () => {
  it("is opened if there is a workflow in it, with or without a folder around it", async () => {
    const expected = { files: grand.map(({ name }) => name), refused: [] };
    expect(await names(new File([zipOf(grand)], "sorts.zip"))).toEqual(expected);
    const inFolder = grand.map(({ name, text }) => ({ name: `sorts/${name}`, text }));
    expect(await names(new File([zipOf(inFolder)], "sorts.ZIP"))).toEqual(expected);
  });

  it("stays a file if there is none, or if a task reads it", async () => {
    const data = new File([zipOf([{ name: "a.csv", text: "1,2\n" }])], "data.zip");
    expect(await names(data)).toEqual({ files: ["data.zip"], refused: [] });
    expect(await names(new File([zipOf(grand)], "in.zip"), ["in.zip"])).toEqual({ files: ["in.zip"], refused: [] });
  });

  it("that cannot be opened stays a file, and the reason is told", async () => {
    const broken = new File([zipOf(grand).slice(0, 500)], "broken.zip");
    expect(await names(broken)).toEqual({
      files: ["broken.zip"],
      refused: ["broken.zip was not opened. This is not a whole zip: its directory cannot be read."],
    });
  });
});
