/**
 * JSON with the place of every value, which `JSON.parse` does not tell. Stops at the first error, as there is no way
 * to know what was meant after it; nesting is bounded, so that everything that walks the values is safe.
 */
export type Json =
  | { is: "object"; members: Map<string, Json>; start: number; end: number }
  | { is: "array"; items: Json[]; start: number; end: number }
  | { is: "string"; value: string; start: number; end: number }
  | { is: "number"; value: number; start: number; end: number }
  | { is: "boolean"; value: boolean; start: number; end: number }
  | { is: "null"; start: number; end: number };

export type JsonObject = Extract<Json, { is: "object" }>;

export interface JsonFault {
  message: string;
  start: number;
  end: number;
}

export interface ReadJson {
  value?: Json;
  fault?: JsonFault;
  /** Members given twice in one object; the last one counts. */
  repeated: { name: string; start: number; end: number }[];
}

class Fault extends Error {
  constructor(
    message: string,
    readonly start: number,
    readonly end: number,
  ) {
    super(message);
  }
}

const maxNesting = 100;

export function readJson(text: string): ReadJson {
  const reader = new Reader(text);
  try {
    const value = reader.document();
    return { value, repeated: reader.repeated };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { message, start, end } = error;
    return { fault: { message, start, end }, repeated: reader.repeated };
  }
}

class Reader {
  readonly repeated: ReadJson["repeated"] = [];
  private at = 0;
  private readonly blanks = /[ \t\r\n]*/y;
  private readonly number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  private readonly word = /[A-Za-z]+/y;

  constructor(private readonly text: string) {
    // A byte order mark is not JSON, but some editors leave one.
    if (text.startsWith("\uFEFF")) this.at = 1;
  }

  document(): Json {
    const value = this.value(0);
    this.skip();
    if (this.at < this.text.length) this.fail("Nothing more was expected after the end of the JSON text.");
    return value;
  }

  private value(depth: number): Json {
    this.skip();
    if (depth > maxNesting) this.fail("Values are nested too deeply.");
    const start = this.at;
    switch (this.text[start]) {
      case "{":
        return this.object(depth);
      case "[":
        return this.array(depth);
      case '"':
        return { is: "string", value: this.string(), start, end: this.at };
      case undefined:
        return this.fail("The text ends where a value was expected.");
      default:
        return this.scalar(start);
    }
  }

  private scalar(start: number): Json {
    this.number.lastIndex = start;
    const number = this.number.exec(this.text);
    if (number) {
      this.at = this.number.lastIndex;
      return { is: "number", value: Number(number[0]), start, end: this.at };
    }
    this.word.lastIndex = start;
    const word = this.word.exec(this.text)?.[0] ?? "";
    this.at = start + word.length;
    if (word === "null") return { is: "null", start, end: this.at };
    if (word === "true" || word === "false") return { is: "boolean", value: word === "true", start, end: this.at };
    const shown = word === "" ? this.text[start]! : word.slice(0, 40);
    throw new Fault(`A value was expected here, not \`${shown}\`.`, start, start + shown.length);
  }

  private object(depth: number): Json {
    const start = this.at++;
    const members = new Map<string, Json>();
    for (let first = true; !this.ends("}", first, start, "An object"); first = false) {
      const nameStart = this.at;
      if (this.text[nameStart] !== '"') this.fail("The name of a member, between double quotes, was expected here.");
      const name = this.string();
      if (members.has(name)) this.repeated.push({ name, start: nameStart, end: this.at });
      this.skip();
      if (this.text[this.at] !== ":") this.fail("`:` was expected after the name of a member.");
      this.at += 1;
      members.set(name, this.value(depth + 1));
    }
    return { is: "object", members, start, end: this.at };
  }

  private array(depth: number): Json {
    const start = this.at++;
    const items: Json[] = [];
    for (let first = true; !this.ends("]", first, start, "A list"); first = false) items.push(this.value(depth + 1));
    return { is: "array", items, start, end: this.at };
  }

  /** Goes over the closing bracket, or over the comma before the next element. */
  private ends(closing: string, first: boolean, start: number, what: string): boolean {
    this.skip();
    const character = this.text[this.at];
    if (character === closing) {
      this.at += 1;
      return true;
    }
    if (character === undefined) throw new Fault(`${what} starts here and is never closed.`, start, start + 1);
    if (first) return false;
    if (character !== ",") this.fail(`\`,\` or \`${closing}\` was expected here.`);
    this.at += 1;
    this.skip();
    if (this.text[this.at] === closing) this.fail(`After a comma another element was expected, not \`${closing}\`.`);
    return false;
  }

  private string(): string {
    const start = this.at;
    let escaped = false;
    for (let at = start + 1; at < this.text.length; at++) {
      const code = this.text.charCodeAt(at);
      if (code === 34) {
        this.at = at + 1;
        return escaped ? this.unescape(start) : this.text.slice(start + 1, at);
      }
      if (code < 32) throw new Fault('A text must end on the line it starts on: `"` is missing.', start, at);
      if (code === 92) {
        escaped = true;
        at += 1;
      }
    }
    throw new Fault('This text is never closed: `"` is missing.', start, start + 1);
  }

  private unescape(start: number): string {
    try {
      const value: unknown = JSON.parse(this.text.slice(start, this.at));
      return String(value);
    } catch {
      throw new Fault("This text has a backslash before something it may not stand before.", start, this.at);
    }
  }

  private skip(): void {
    this.blanks.lastIndex = this.at;
    this.blanks.exec(this.text);
    this.at = this.blanks.lastIndex;
  }

  private fail(message: string): never {
    throw new Fault(message, this.at, Math.min(this.at + 1, Math.max(this.text.length, this.at)));
  }
}
