/**
 * A command's arguments from one text, with the quoting of POSIX shells and none of their expansions: what is
 * written is what the program gets.
 */
export interface ShellWords {
  words: string[];
  /** The quote or backslash that is opened and never closed; the words are then what a closing one would give. */
  unclosed?: "'" | '"' | "\\";
}

export function splitWords(text: string): string[] {
  return parseWords(text).words;
}

export function parseWords(text: string): ShellWords {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < text.length) {
    const character = text[at]!;
    if (isBlank(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at += 1;
    } else if (character === "'") {
      const end = text.indexOf("'", at + 1);
      word = (word ?? "") + text.slice(at + 1, end === -1 ? text.length : end);
      if (end === -1) return { words: [...words, word], unclosed: "'" };
      at = end + 1;
    } else if (character === '"') {
      const quoted = readDoubleQuoted(text, at + 1);
      word = (word ?? "") + quoted.text;
      if (quoted.end === undefined) return { words: [...words, word], unclosed: '"' };
      at = quoted.end;
    } else if (character === "\\") {
      const next = text[at + 1];
      if (next === undefined) return { words: [...words, word ?? ""], unclosed: "\\" };
      // A backslash before a line end joins the lines.
      if (next !== "\n") word = (word ?? "") + next;
      at += 2;
    } else {
      word = (word ?? "") + character;
      at += 1;
    }
  }
  if (word !== undefined) words.push(word);
  return { words };
}

/** Inside double quotes a backslash is special only before `$`, a backquote, `"`, itself and a line end. */
function readDoubleQuoted(text: string, start: number): { text: string; end?: number } {
  let read = "";
  for (let at = start; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') return { text: read, end: at + 1 };
    const next = text[at + 1];
    if (character === "\\" && next !== undefined && '$`"\\\n'.includes(next)) {
      if (next !== "\n") read += next;
      at += 1;
    } else read += character;
  }
  return { text: read };
}

/** The word as a shell reads it back unchanged. */
export function quoteWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function isBlank(character: string): boolean {
  return character === " " || character === "\t" || character === "\n" || character === "\r";
}
