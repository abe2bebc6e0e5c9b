/**
 * How long a file's name may be. File systems count bytes of UTF-8, not characters, and so does the index under which
 * the journal keeps the files of a run: a name it cannot hold would be refused by the database after the task has run.
 */
const longestPart = 255;
const longestName = 1024;
const mostBytesACharacter = 3;

export const nameTooLong = `is too long (${longestPart} bytes a part, ${longestName} in all; a letter outside ASCII has 2 to 4)`;

export function hasAllowedLength(name: string): boolean {
  // The common case first: this runs for every file of a million tasks.
  if (name.length * mostBytesACharacter <= longestPart) return true;
  return utf8Length(name) <= longestName && name.split("/").every((part) => utf8Length(part) <= longestPart);
}

/** Bytes in UTF-8. A lone surrogate counts as the replacement character it is written as. */
function utf8Length(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (code >= 0x10000) at += 1;
  }
  return bytes;
}
