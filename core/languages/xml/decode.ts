/** Text between tags: character references are replaced, a bare `&` is kept and told. */

export interface Decoded {
  text: string;
  faults: { message: string; start: number; end: number }[];
}

const known: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const reference = /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([A-Za-z][\w.-]{0,63}));|&/g;

export function decodeText(whole: string, start: number, end: number): Decoded {
  const raw = whole.slice(start, end);
  if (!raw.includes("&")) return { text: raw, faults: [] };
  const faults: Decoded["faults"] = [];
  const text = raw.replace(reference, (all: string, decimal, hexadecimal, name, at: number) => {
    const replaced = name === undefined ? characterOf(decimal, hexadecimal) : known[String(name)];
    if (replaced !== undefined) return replaced;
    const message =
      name === undefined
        ? "“&” stands alone; it is read as itself. Write &amp; for it."
        : `There is no entity “${all}”; it is read as it stands. Only &lt; &gt; &amp; &quot; &apos; and numbers are known.`;
    faults.push({ message, start: start + at, end: start + at + all.length });
    return all;
  });
  return { text, faults };
}

function characterOf(decimal: unknown, hexadecimal: unknown): string | undefined {
  const code =
    typeof decimal === "string"
      ? Number(decimal)
      : typeof hexadecimal === "string"
        ? Number.parseInt(hexadecimal, 16)
        : 0;
  // NUL is in no text, and half a surrogate pair is no character.
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  return String.fromCodePoint(code);
}

const escapes: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" };

/** For text and for attribute values, blanks at the ends included. What XML has no way to write becomes U+FFFD. */
export function encodeText(text: string): string {
  return text
    .replace(/[<>&"]/g, (character) => escapes[character]!)
    .replace(/\p{Cc}|[\uFFFE\uFFFF]/gu, (character) => {
      const code = character.charCodeAt(0);
      if (code === 9 || code === 10 || code === 13) return `&#${code};`;
      return code < 32 || code >= 0xfffe ? "\uFFFD" : character;
    })
    .replace(/^\s|\s$/g, (blank) => `&#${blank.charCodeAt(0)};`);
}
