/**
 * Lines and words. A backslash at the end of a line joins it with the next; it is replaced by blanks, so that an
 * offset in the joined line is an offset in the text.
 */
import type { Place, Source } from "./source";

export interface Line {
  text: string;
  start: number;
}

/** The lines of a stretch of text that say something: no blank ones, no comments. */
export function* linesOf(text: string, from: number, to: number): Generator<Line & { end: number }> {
  let start = from;
  while (start < to) {
    let end = lineEnd(text, start, to);
    let joined = false;
    const comment = isComment(text, start, end);
    while (!comment && end < to && endsInBackslash(text, start, end)) {
      joined = true;
      end = lineEnd(text, end + 1, to);
    }
    const raw = text.slice(start, end);
    const line = joined ? raw.replace(/\\[ \t\r]*\n/g, (join) => " ".repeat(join.length)) : raw;
    if (!comment && line.trim() !== "") yield { text: line, start, end };
    start = end + 1;
  }
}

function lineEnd(text: string, start: number, to: number): number {
  const newline = text.indexOf("\n", start);
  return newline === -1 || newline > to ? to : newline;
}

function isComment(text: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && (text[at] === " " || text[at] === "\t")) at++;
  return text[at] === "#";
}

function endsInBackslash(text: string, start: number, end: number): boolean {
  let at = end - 1;
  while (at >= start && (text[at] === "\r" || text[at] === " " || text[at] === "\t")) at--;
  return at >= start && text[at] === "\\";
}

export interface Word extends Place {
  text: string;
}

/** The next word from `at` on, or nothing at the end of the line. Double quotes hold a word with blanks together. */
export function nextWord(source: Source, line: Line, at: number): Word | undefined {
  const { text } = line;
  let start = at;
  while (start < text.length && /\s/.test(text.charAt(start))) start++;
  if (start >= text.length) return undefined;
  let end = start;
  if (text[start] === '"') {
    const close = text.indexOf('"', start + 1);
    if (close !== -1) {
      const place = { source, start: line.start + start, end: line.start + close + 1 };
      return { text: text.slice(start + 1, close), ...place };
    }
  }
  while (end < text.length && !/\s/.test(text.charAt(end))) end++;
  return { text: text.slice(start, end), source, start: line.start + start, end: line.start + end };
}

export function wordsOf(source: Source, line: Line): Word[] {
  const words: Word[] = [];
  for (let word = nextWord(source, line, 0); word; word = nextWord(source, line, word.end - line.start))
    words.push(word);
  return words;
}
