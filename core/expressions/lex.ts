/**
 * Text → tokens of the ClassAd language. One pass, no backtracking. Every fault carries the offset where it
 * stands. The GridBot dialect adds pattern literals between slashes (GridBot Fig. 3 has a pattern,
 * slash-star-myhost-star-slash, that would otherwise be a comment); old ClassAds differ in how backslashes
 * in strings are read.
 */
export type Dialect = "classad" | "gridbot";

export interface Token {
  kind: "integer" | "real" | "string" | "pattern" | "name" | "operator" | "end";
  /** The operator; the name, string or pattern after unquoting; empty for numbers. */
  text: string;
  /** Only for numbers. */
  number?: number | bigint;
  /** A name written between single quotes is never a keyword. */
  quoted?: boolean;
  start: number;
  end: number;
}

export interface LexFault {
  message: string;
  start: number;
  end: number;
}

export interface LexOptions {
  dialect?: Dialect;
  /** Read strings as old ClassAds do: a backslash is an ordinary character unless a quote follows. */
  oldStrings?: boolean;
}

// Longest first: the first that fits is the token.
const operators = [
  "=?=",
  "=!=",
  ">>>",
  "||",
  "&&",
  "==",
  "!=",
  "<=",
  ">=",
  "<<",
  ">>",
  "<",
  ">",
  "=",
  "+",
  "-",
  "*",
  "/",
  "%",
  "&",
  "|",
  "^",
  "~",
  "!",
  "?",
  ":",
  ".",
  ",",
  ";",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
];
const operatorsByFirst = new Map<string, string[]>();
for (const operator of operators) {
  const first = operator.charAt(0);
  operatorsByFirst.set(first, [...(operatorsByFirst.get(first) ?? []), operator]);
}

const isDigit = (code: number) => code >= 48 && code <= 57;
const isNameStart = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
const isNamePart = (code: number) => isNameStart(code) || isDigit(code);

export function lex(text: string, options: LexOptions = {}): { tokens: Token[]; fault: LexFault | undefined } {
  const tokens: Token[] = [];
  let position = 0;
  let fault: LexFault | undefined;

  const fail = (message: string, start: number, end: number) => {
    fault = { message, start, end: Math.max(end, start + 1) };
  };

  const skipBlanks = () => {
    while (position < text.length) {
      const code = text.charCodeAt(position);
      if (code === 32 || (code >= 9 && code <= 13)) position++;
      else if (code === 47 && text.charCodeAt(position + 1) === 47 && !patternMayStart()) {
        const newline = text.indexOf("\n", position);
        position = newline < 0 ? text.length : newline;
      } else if (code === 47 && text.charCodeAt(position + 1) === 42 && !patternMayStart()) {
        const close = text.indexOf("*/", position + 2);
        if (close < 0) {
          fail("This comment is never closed: `*/` is missing.", position, text.length);
          return;
        }
        position = close + 2;
      } else return;
    }
  };

  // In the GridBot dialect a slash where an operand is expected starts a pattern.
  const patternMayStart = () => {
    if (options.dialect !== "gridbot") return false;
    const last = tokens[tokens.length - 1];
    return last?.kind === "operator" && (last.text === "(" || last.text === ",");
  };

  while (true) {
    skipBlanks();
    if (fault || position >= text.length) break;
    const start = position;
    const code = text.charCodeAt(position);
    const next = text.charCodeAt(position + 1);
    if (isDigit(code) || (code === 46 && isDigit(next) && !selects(tokens[tokens.length - 1]))) {
      const number = lexNumber(text, start);
      if ("message" in number) {
        fail(number.message, start, number.end);
        break;
      }
      tokens.push({ kind: number.kind, text: "", number: number.value, start, end: number.end });
      position = number.end;
    } else if (isNameStart(code)) {
      position++;
      while (position < text.length && isNamePart(text.charCodeAt(position))) position++;
      tokens.push({ kind: "name", text: text.slice(start, position), start, end: position });
    } else if (code === 34 || code === 39) {
      const string = options.oldStrings ? lexOldString(text, start) : lexString(text, start);
      if ("message" in string) {
        fail(string.message, string.start, string.end);
        break;
      }
      position = string.end;
      const last = tokens[tokens.length - 1];
      if (code === 39) {
        if (string.text === "") {
          fail("A name between single quotes cannot be empty.", start, position);
          break;
        }
        tokens.push({ kind: "name", text: string.text, quoted: true, start, end: position });
      } else if (last?.kind === "string") {
        // Strings that follow each other are one string, as in C.
        last.text += string.text;
        last.end = position;
      } else tokens.push({ kind: "string", text: string.text, start, end: position });
    } else if (code === 47 && patternMayStart()) {
      const close = closingSlash(text, start + 1);
      if (close < 0) {
        fail("This pattern is never closed: `/` is missing.", start, text.length);
        break;
      }
      position = close + 1;
      tokens.push({ kind: "pattern", text: text.slice(start + 1, close), start, end: position });
    } else {
      const operator = operatorsByFirst.get(text.charAt(start))?.find((candidate) => text.startsWith(candidate, start));
      if (!operator) {
        const character = String.fromCodePoint(text.codePointAt(start) ?? 0);
        fail(`The character \`${character}\` has no meaning in an expression.`, start, start + character.length);
        break;
      }
      position += operator.length;
      tokens.push({ kind: "operator", text: operator, start, end: position });
    }
  }
  tokens.push({ kind: "end", text: "", start: text.length, end: text.length });
  return { tokens, fault };
}

/** After a name or a closing bracket, `.5` is no number: `a.5` is a selection gone wrong. */
function selects(last: Token | undefined): boolean {
  if (!last) return false;
  if (last.kind === "name") return last.quoted === true || !/^(is|isnt)$/i.test(last.text);
  return last.kind === "operator" && (last.text === ")" || last.text === "]" || last.text === "}");
}

type NumberToken = { kind: "integer" | "real"; value: number | bigint; end: number } | { message: string; end: number };

function lexNumber(text: string, start: number): NumberToken {
  const match = /^(?:0[xX][0-9a-fA-F]+|\d*\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+)/.exec(
    text.slice(start, start + 400),
  );
  const digits = match?.[0] ?? text.charAt(start);
  const end = start + digits.length;
  const after = text.charCodeAt(end);
  if (digits.length >= 400) return { message: "This number has too many digits.", end };
  if (after === 46 && /^\d+$/.test(digits)) {
    return { message: "A real number needs digits after its point, as in `1.0`.", end: end + 1 };
  }
  if (isNamePart(after)) {
    const word = /^\w+/.exec(text.slice(end, end + 40))?.[0] ?? "";
    return {
      message: /^[bkmgt]$/i.test(word)
        ? `Numbers have no unit letters here: write \`${digits} * 1024\` instead of \`${digits}${word}\`.`
        : `A number cannot be followed by \`${word}\`.`,
      end: end + word.length,
    };
  }
  if (/^\d*\.|[eE]/.test(digits) && !/^0[xX]/.test(digits)) return { kind: "real", value: Number(digits), end };
  if (/^0\d/.test(digits) && !/^0[0-7]+$/.test(digits)) {
    return { message: "A number that starts with 0 is octal and has only the digits 0 to 7.", end };
  }
  const value = BigInt(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits);
  // 2^63 itself is let through: the parser accepts it behind a minus sign, and only there.
  if (value > 2n ** 63n) return { message: "This integer does not fit into 64 bits.", end };
  return { kind: "integer", value: value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value, end };
}

type StringToken = { text: string; end: number } | { message: string; start: number; end: number };

const simpleEscapes: Readonly<Record<string, string>> = {
  b: "\b",
  t: "\t",
  n: "\n",
  f: "\f",
  r: "\r",
  a: "\x07",
  v: "\v",
};

const noZero = "A string cannot hold the character number 0.";

function lexString(text: string, start: number): StringToken {
  const quote = text.charAt(start);
  let result = "";
  // Octal escapes are bytes; runs of them above 127 are UTF-8.
  let bytes: number[] = [];
  const flush = () => {
    if (bytes.length > 0) result += new TextDecoder().decode(Uint8Array.from(bytes));
    bytes = [];
  };
  let position = start + 1;
  while (position < text.length) {
    const character = text.charAt(position);
    if (character === quote) {
      flush();
      return { text: result, end: position + 1 };
    }
    if (character === "\0") return { message: noZero, start: position, end: position + 1 };
    if (character !== "\\") {
      flush();
      result += character;
      position++;
      continue;
    }
    const octal = /^[0-3][0-7]{0,2}|^[4-7][0-7]?/.exec(text.slice(position + 1, position + 4))?.[0];
    if (octal) {
      const byte = Number.parseInt(octal, 8);
      if (byte === 0)
        return {
          message: noZero,
          start: position,
          end: position + 1 + octal.length,
        };
      bytes.push(byte);
      position += 1 + octal.length;
      continue;
    }
    flush();
    const escaped = text.charAt(position + 1);
    result += simpleEscapes[escaped] ?? escaped;
    position += 2;
  }
  const what = quote === '"' ? "string" : "quoted name";
  return { message: `This ${what} is never closed: \`${quote}\` is missing.`, start, end: text.length };
}

function lexOldString(text: string, start: number): StringToken {
  const quote = text.charAt(start);
  let result = "";
  for (let position = start + 1; position < text.length; position++) {
    const character = text.charAt(position);
    if (character === "\0") return { message: noZero, start: position, end: position + 1 };
    if (character === "\\" && text.charAt(position + 1) === quote && /[^\r\n]/.test(text.charAt(position + 2))) {
      result += quote;
      position++;
    } else if (character === quote) return { text: result, end: position + 1 };
    else result += character;
  }
  return { message: `This string is never closed: \`${quote}\` is missing.`, start, end: text.length };
}

function closingSlash(text: string, from: number): number {
  for (let position = from; position < text.length && text.charAt(position) !== "\n"; position++) {
    if (text.charAt(position) === "\\") position++;
    else if (text.charAt(position) === "/") return position;
  }
  return -1;
}
