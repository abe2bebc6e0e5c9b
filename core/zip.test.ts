import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { zipOf } from "./zip";

/** Reads a zip by its central directory (APPNOTE 4.3.12) and the entries it points to. */
function unzip(bytes: Uint8Array): { name: string; text: string; crc: number }[] {
  const zip = Buffer.from(bytes);
  const end = zip.length - 22;
  expect(zip.readUInt32LE(end)).toBe(0x06054b50);
  let at = zip.readUInt32LE(end + 16);
  const found = Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    const nameLength = zip.readUInt16LE(at + 28);
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const entry = {
      name: zip.toString("utf8", at + 46, at + 46 + nameLength),
      text: zip.toString("utf8", start, start + zip.readUInt32LE(at + 20)),
      crc: zip.readUInt32LE(at + 16),
    };
    // What the entry says of itself is what the directory says of it.
    expect(zip.subarray(local + 4, local + 30)).toEqual(zip.subarray(at + 6, at + 32));
    at += 46 + nameLength;
    return entry;
  });
  expect(at).toBe(end);
  return found;
}

/** A gzip ends with the sum a zip wants. */
const crcOf = (text: string): number => gzipSync(text).readUInt32LE(gzipSync(text).length - 8);

describe("a zip", () => {
  it("holds every text under its name, with sums that fit", () => {
    const files = [
      { name: "w.dag", text: "JOB A sub/ä.sub\n" },
      { name: "sub/ä.sub", text: "queue\n".repeat(1000) },
      { name: "empty", text: "" },
    ];
    expect(unzip(zipOf(files))).toEqual(files.map((file) => ({ ...file, crc: crcOf(file.text) })));
    expect(unzip(zipOf([]))).toEqual([]);
  });
});
