import { describe, expect, it } from "vitest";
import yazl from "yazl";
import { archiveNames, contentDisposition } from "./downloads";

describe("the name of a download", () => {
  it("travels in UTF-8, with a plain stand-in beside it", () => {
    expect(contentDisposition("Ergebnis π.txt")).toBe(
      `attachment; filename="Ergebnis _.txt"; filename*=UTF-8''Ergebnis%20%CF%80.txt`,
    );
  });

  it("cannot break out of its header", () => {
    const header = contentDisposition('a"; filename="evil.html\r\nX: y\'(*)\ud800');
    expect(header).not.toMatch(/[\r\n]/);
    expect(header.match(/"/g)).toHaveLength(2);
    expect(header.split("''")[1]).not.toMatch(/['()*"]/);
  });
});

describe("names in an archive", () => {
  it("stay as they are where they mean the same everywhere", () => {
    const names = ["a.txt", "d/Ergebnis π 'x'.txt", "ab:c", "..x"];
    expect(archiveNames(names)).toEqual(names);
  });

  it("lead nowhere else on Windows, and stay apart", () => {
    expect(archiveNames(["a:b", "a_b", "x\\..\\y", "C:\\z"])).toEqual(["_a_b", "a_b", "x_.._y", "C__z"]);
  });

  it("are accepted by the archive, whatever a task may call its output", () => {
    const archive = new yazl.ZipFile();
    const names = archiveNames(["a:b", "\\\\host\\x", "..\\up", "z:", "q/..\\..\\x"]);
    for (const name of names) expect(() => archive.addBuffer(Buffer.from(""), name)).not.toThrow();
  });
});
