import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type UnzipBounds, unzip } from "./unzip";
import { zipOf } from "./zip";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const sentence = async (bytes: Uint8Array<ArrayBuffer>, bounds?: UnzipBounds) => {
  const read = await unzip(bytes, bounds);
  return read.ok ? "read" : read.sentence;
};

/** A zip of one compressed file; `claimed` is the size it says it has. */
function compressed(name: string, content: string, claimed = content.length): Uint8Array<ArrayBuffer> {
  const stored = Buffer.from(zipOf([{ name, text: content }]));
  const data = deflateRawSync(content);
  const nameLength = Buffer.byteLength(name);
  const local = stored.subarray(0, 30 + nameLength);
  const directoryStart = stored.readUInt32LE(stored.length - 6);
  const directory = Buffer.from(stored.subarray(directoryStart, stored.length - 22));
  const end = Buffer.from(stored.subarray(stored.length - 22));
  for (const [head, at] of [
    [local, 4],
    [directory, 6],
  ] as const) {
    head.writeUInt16LE(8, at + 4);
    head.writeUInt32LE(data.length, at + 14);
    head.writeUInt32LE(claimed, at + 18);
  }
  end.writeUInt32LE(local.length + data.length, 16);
  return new Uint8Array(Buffer.concat([local, data, directory, end]));
}

describe("a zip", () => {
  it("gives back what was put in, stored or compressed, with folders and letters of any kind", async () => {
    const files = [
      { name: "a.txt", text: "one\n" },
      { name: "folder/ü é.txt", text: "" },
    ];
    const read = await unzip(zipOf(files));
    expect(read.ok && read.files.map((file) => ({ name: file.name, text: text(file.bytes) }))).toEqual(files);
    const long = "once more ".repeat(10_000);
    const packed = await unzip(compressed("b.txt", long));
    expect(packed.ok && text(packed.files[0]!.bytes)).toBe(long);
  });

  it.each(["../a", "/etc/passwd", "a/../../b", "a\\..\\b", "C:/x", "a//b"])(
    "does not lead outside: %s",
    async (name) => {
      expect(await sentence(zipOf([{ name, text: "x" }]))).toContain("outside of the folder");
    },
  );

  it("does not grow without bounds", async () => {
    const bomb = compressed("zeros", "\0".repeat(20 * 1024 * 1024));
    expect(await sentence(bomb)).toBe(
      "The zip would unpack to 20 MB, which is more than is read from a zip of its size.",
    );
    expect(await sentence(compressed("liar", "\0".repeat(20 * 1024 * 1024), 100))).toBe(
      "“liar” in the zip is larger than it says.",
    );
    const many = zipOf(Array.from({ length: 11 }, (_, n) => ({ name: `f${n}`, text: "x" })));
    expect(await sentence(many, { files: 10, bytes: 1e9, growth: 100 })).toBe(
      "The zip has 11 entries; at most 10 are read.",
    );
  });

  it("that is damaged, cut off or none at all is told", async () => {
    const whole = zipOf([{ name: "a", text: "hello" }]);
    const flipped = whole.slice();
    flipped[32] = flipped[32]! ^ 1;
    expect(await sentence(flipped)).toBe("“a” in the zip is damaged.");
    for (let length = 0; length < whole.length; length++) {
      expect(await sentence(whole.slice(0, length))).toContain("not a whole zip");
    }
    expect(
      await sentence(
        zipOf([
          { name: "a", text: "1" },
          { name: "a", text: "2" },
        ]),
      ),
    ).toBe("“a” is in the zip twice.");
  });

  it("of random bytes is refused, not followed", async () => {
    const whole = zipOf([{ name: "a", text: "hello" }]);
    for (let at = 0; at < whole.length; at++) {
      const changed = whole.slice();
      changed[at] = 0xff;
      expect(["read", "refused"]).toContain((await unzip(changed)).ok ? "read" : "refused");
    }
  });
});
