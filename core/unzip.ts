/**
 * Reads a zip somebody dropped or named (APPNOTE 4.3): every entry, in full, or a sentence that says why not. The content
 * is hostile until shown otherwise: the number of entries, their size and how much they grow are bounded before anything
 * is unpacked and while it is, and no name leads outside the folder it is unpacked into.
 */
import { crc32 } from "./zip";

export interface ZipFile {
  /** With `/` between folders. */
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export type Unzipped = { ok: true; files: ZipFile[] } | { ok: false; sentence: string };

export interface UnzipBounds {
  files: number;
  /** All files together, unpacked. */
  bytes: number;
  /** How many times larger than the zip they may be together; small ones always may. */
  growth: number;
}

export const defaultBounds: UnzipBounds = { files: 10_000, bytes: 512 * 1024 * 1024, growth: 200 };
const alwaysFine = 8 * 1024 * 1024;

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;

export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);
}

export async function unzip(bytes: Uint8Array<ArrayBuffer>, bounds = defaultBounds): Promise<Unzipped> {
  try {
    const entries = directoryOf(bytes, bounds);
    const files: ZipFile[] = [];
    for (const entry of entries) files.push({ name: entry.name, bytes: await contentOf(bytes, entry) });
    return { ok: true, files };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, sentence: error.message };
    throw error;
  }
}

/** The message is the sentence for the reader. */
class Refused extends Error {}

interface Entry {
  name: string;
  method: number;
  crc: number;
  packed: number;
  size: number;
  offset: number;
}

function directoryOf(bytes: Uint8Array<ArrayBuffer>, bounds: UnzipBounds): Entry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = endOf(view);
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count === 0xffff || at === 0xffffffff)
    throw new Refused("The zip is of the kind for more than 4 GB (zip64), which is not read.");
  if (count > bounds.files) throw new Refused(`The zip has ${count} entries; at most ${bounds.files} are read.`);
  const entries: Entry[] = [];
  const names = new Set<string>();
  for (let index = 0; index < count; index++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== entrySignature) throw damaged();
    const nameLength = view.getUint16(at + 28, true);
    const name = nameIn(bytes.subarray(at + 46, at + 46 + nameLength));
    const entry = {
      name,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    };
    if (view.getUint16(at + 8, true) & 1) throw new Refused(`“${name}” in the zip is encrypted.`);
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (name.endsWith("/")) continue;
    if (names.has(name)) throw new Refused(`“${name}” is in the zip twice.`);
    names.add(name);
    entries.push(entry);
  }
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total > bounds.bytes || (total > alwaysFine && total > bytes.length * bounds.growth)) {
    const megabytes = Math.ceil(total / 1024 / 1024);
    throw new Refused(`The zip would unpack to ${megabytes} MB, which is more than is read from a zip of its size.`);
  }
  return entries;
}

function endOf(view: DataView): number {
  const longestComment = 0xffff;
  for (let at = view.byteLength - 22; at >= 0 && at >= view.byteLength - 22 - longestComment; at--) {
    if (view.getUint32(at, true) === endSignature) return at;
  }
  throw damaged();
}

function nameIn(bytes: Uint8Array): string {
  const name = new TextDecoder().decode(bytes);
  const parts = name.replace(/\/$/, "").split("/");
  const isInside = parts.every((part) => part !== "" && part !== "." && part !== "..");
  if (!isInside || /[\0\\]|^[A-Za-z]:/.test(name)) {
    throw new Refused(`“${name.slice(0, 100)}” in the zip would be outside of the folder it is unpacked into.`);
  }
  return name;
}

async function contentOf(bytes: Uint8Array<ArrayBuffer>, entry: Entry): Promise<Uint8Array<ArrayBuffer>> {
  const { name, offset, packed, method, size, crc } = entry;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (offset + 30 > bytes.length || view.getUint32(offset, true) !== localSignature) throw damaged();
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + packed > bytes.length) throw damaged();
  const data = bytes.subarray(start, start + packed);
  if (method !== 0 && method !== 8)
    throw new Refused(`“${name}” is packed in a way that is not read (method ${method}).`);
  const content = method === 0 ? data.slice() : await inflate(data, size, name);
  if (content.length !== size || crc32(content) !== crc) throw new Refused(`“${name}” in the zip is damaged.`);
  return content;
}

/** Never more than the directory says. */
async function inflate(data: Uint8Array<ArrayBuffer>, size: number, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const content = new Uint8Array(size);
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Refused(`“${name}” in the zip is damaged.`);
    });
    if (done) return content.subarray(0, at);
    if (at + value.length > size) {
      await reader.cancel().catch(() => {});
      throw new Refused(`“${name}” in the zip is larger than it says.`);
    }
    content.set(value, at);
    at += value.length;
  }
}

function damaged(): Refused {
  return new Refused("This is not a whole zip: its directory cannot be read.");
}
