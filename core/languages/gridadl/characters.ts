/** Which characters belong together: what may stand in a word, in a name inside an expression, and after a backslash. */

/** How much of the text at a backslash to leave out: 1 for `\"`, `\\`, `\${`, more for a continued line, else nothing. */
export function escapeLength(text: string, at: number): number {
  const next = text[at + 1];
  if (next === '"' || next === "\\" || text.startsWith("${", at + 1)) return 1;
  return lineContinuation(text, at);
}

export function lineContinuation(text: string, at: number): number {
  if (text[at] !== "\\") return 0;
  if (text[at + 1] === "\n") return 2;
  return text.startsWith("\r\n", at + 1) ? 3 : 0;
}

export function isBlank(character: string | undefined): boolean {
  switch (character) {
    case " ":
    case "\t":
    case "\r":
    case "\f":
    case "\v":
    case "\u00a0":
    case "\ufeff":
      return true;
    default:
      return false;
  }
}

export function isWordCharacter(text: string, at: number): boolean {
  const character = text[at]!;
  switch (character) {
    case "\n":
    case '"':
    case ";":
    case "{":
    case "}":
      return false;
    case "$":
      return text[at + 1] !== "{";
    case "\\":
      return lineContinuation(text, at) === 0;
    default:
      return !isBlank(character);
  }
}

export function isNameCharacter(character: string | undefined): boolean {
  if (character === undefined) return false;
  return /[A-Za-z0-9_.:@%~,]/.test(character) || (character > "\x7f" && !isBlank(character));
}

export function startsBareName(text: string, at: number): boolean {
  return isBareNameCharacter(text, at, true, false);
}

/**
 * In an expression `-` and `/` belong to a bare name where they join it to what is no number (`loosely-coupled`,
 * `${dir}/out`, `/usr/bin/awk`); before anything else, and right after a variable or a string, they are
 * operators (`${n}-1`).
 */
export function isBareNameCharacter(text: string, at: number, first: boolean, afterPiece: boolean): boolean {
  const character = text[at];
  if (character === ".") return text[at + 1] !== "." && (first || text[at - 1] !== ".");
  if (isNameCharacter(character)) return true;
  if (character !== "/" && character !== "-") return false;
  const next = text[at + 1];
  if (!isNameCharacter(next) || text.startsWith("..", at + 1)) return false;
  if (!first) return true;
  return (character === "/" || afterPiece) && !/[0-9]/.test(next ?? "");
}
