/**
 * A zip of a few texts, stored without compression (APPNOTE 4.3), for a browser that hands several files out as one.
 * Names are UTF-8; every file is of 1980-01-01, so that the same texts always give the same bytes.
 */
export function zipOf(files: readonly { name: string; text: string }[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, text } of files) {
    const nameBytes = encoder.encode(name);
    const content = encoder.encode(text);
    const facts = factsOf(content, nameBytes.length);
    const local = concat([record(0x04034b50, facts), nameBytes, content]);
    // Made by version 2.0; the facts; comment, disk and attributes are empty; where the file starts.
    directory.push(
      record(0x02014b50, [
        { width: 2, value: 20 },
        ...facts,
        ...empty(2, 3),
        ...empty(4, 1),
        { width: 4, value: offset },
      ]),
      nameBytes,
    );
    parts.push(local);
    offset += local.length;
  }
  const directoryBytes = concat(directory);
  const end = record(0x06054b50, [
    ...empty(2, 2),
    { width: 2, value: files.length },
    { width: 2, value: files.length },
    { width: 4, value: directoryBytes.length },
    { width: 4, value: offset },
    ...empty(2, 1),
  ]);
  return concat([...parts, directoryBytes, end]);
}

interface Field {
  width: 2 | 4;
  value: number;
}

const encoder = new TextEncoder();
const utf8Names = 0x0800;
const firstOfJanuary1980 = 0x21;

function factsOf(content: Uint8Array, nameLength: number): Field[] {
  return [
    { width: 2, value: 20 },
    { width: 2, value: utf8Names },
    ...empty(2, 2),
    { width: 2, value: firstOfJanuary1980 },
    { width: 4, value: crc32(content) },
    { width: 4, value: content.length },
    { width: 4, value: content.length },
    { width: 2, value: nameLength },
    ...empty(2, 1),
  ];
}

function empty(width: Field["width"], times: number): Field[] {
  return Array.from({ length: times }, () => ({ width, value: 0 }));
}

function record(signature: number, fields: readonly Field[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(4 + fields.reduce((sum, { width }) => sum + width, 0)));
  bytes.setUint32(0, signature, true);
  let at = 4;
  for (const { width, value } of fields) {
    if (width === 2) bytes.setUint16(at, value, true);
    else bytes.setUint32(at, value, true);
    at += width;
  }
  return new Uint8Array(bytes.buffer);
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  return c;
});

export function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) crc = (crc >>> 8) ^ crcTable[(crc ^ byte) & 0xff]!;
  return ~crc >>> 0;
}
