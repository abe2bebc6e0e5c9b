/**
 * The notations inside a submit description's values: arguments and environment, each in HTCondor's old and new
 * syntax, lists of files, and sizes.
 */

export type Read<T> = { ok: true; value: T } | { ok: false; message: string };

/** New syntax is between double quotes: blanks separate, single quotes hold together, doubled quotes stand for one. */
export function readArguments(text: string): Read<string[]> {
  const trimmed = text.trim();
  if (!trimmed.startsWith('"')) {
    const words = trimmed === "" ? [] : trimmed.split(/\s+/);
    return { ok: true, value: words.map((word) => word.replaceAll('\\"', '"')) };
  }
  const inside = unquote(trimmed);
  if (inside === undefined) {
    return {
      ok: false,
      message: 'Arguments that start with `"` must end with it, and a quote inside must be doubled.',
    };
  }
  return quotedWords(inside);
}

/** New syntax as for arguments; old syntax is `A=1;B=2`. */
export function readEnvironment(text: string): Read<{ name: string; value: string }[]> {
  const trimmed = text.trim();
  let entries: string[];
  if (trimmed.startsWith('"')) {
    const inside = unquote(trimmed);
    if (inside === undefined) {
      return {
        ok: false,
        message: 'An environment that starts with `"` must end with it, and a quote inside must be doubled.',
      };
    }
    const words = quotedWords(inside);
    if (!words.ok) return words;
    entries = words.value;
  } else {
    entries = trimmed.split(";").map((entry) => entry.trim());
    entries = entries.filter((entry) => entry !== "");
  }
  const variables: { name: string; value: string }[] = [];
  for (const entry of entries) {
    const equals = entry.indexOf("=");
    const name = entry.slice(0, Math.max(0, equals)).trim();
    if (name === "")
      return { ok: false, message: `An environment has entries such as NAME=value; "${entry}" is none.` };
    variables.push({ name, value: entry.slice(equals + 1) });
  }
  return { ok: true, value: variables };
}

/** What is between the double quotes; nothing if they do not enclose the text. */
function unquote(text: string): string | undefined {
  if (text.length < 2 || !text.endsWith('"')) return undefined;
  const inside = text.slice(1, -1);
  return inside.replaceAll('""', "").includes('"') ? undefined : inside.replaceAll('""', '"');
}

function quotedWords(text: string): Read<string[]> {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === "'") {
      word ??= "";
      for (at += 1; ; at++) {
        if (at >= text.length) return { ok: false, message: "A single quote is opened and never closed." };
        if (text[at] !== "'") word += text[at];
        else if (text[at + 1] === "'") word += text[++at];
        else break;
      }
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (word !== undefined) words.push(word);
  return { ok: true, value: words };
}

export function writeArguments(words: readonly string[]): string {
  const quoted = words.map((word) => (word === "" || /[\s']/.test(word) ? `'${word.replaceAll("'", "''")}'` : word));
  return `"${quoted.join(" ").replaceAll('"', '""')}"`;
}

export function readFileList(text: string): string[] {
  const unquoted = /^"[^"]*"$/.test(text.trim()) ? text.trim().slice(1, -1) : text;
  return unquoted
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

const units: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

/** A size in bytes, written as a number with or without a unit; without, it counts `unit` bytes. */
export function readSize(text: string, unit: number): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(?:([KMGT])(?:i?B)?|B)?$/i.exec(text.trim());
  if (!match) return undefined;
  const hasUnit = /[A-Za-z]$/.test(text.trim());
  const bytes = Number(match[1]) * (hasUnit ? units[(match[2] ?? "").toUpperCase()]! : unit);
  return Number.isSafeInteger(Math.ceil(bytes)) ? Math.ceil(bytes) : undefined;
}
