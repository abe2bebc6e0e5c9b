/**
 * XML as workflow formats use it: elements, attributes and text, with their places. It is read by hand because the
 * listings people have are not all well-formed and are to be read all the same, with a warning at the place, and because
 * nothing may be fetched or expanded: there are no entities beside the five everybody knows, and a document type is
 * refused. Depth, size and the number of elements are bounded.
 *
 * What is mended: a bare `&`; several elements where one root should be; an end tag that was written as a start tag
 * (`<a>1<a>`); end tags that are missing or do not match.
 */
import { SourceText } from "@/core/languages/source-text";
import { ProblemList } from "@/core/problem-list";
import { type Decoded, decodeText } from "./decode";

export interface XmlElement {
  /** As written, with its prefix. */
  name: string;
  /** Without the prefix: prefixes are chosen freely, and the listings' own differ in their letters. */
  local: string;
  attributes: Map<string, XmlAttribute>;
  children: XmlElement[];
  /** All text directly in it, trimmed. */
  text: string;
  /** Of its start tag. */
  start: number;
  end: number;
}

export interface XmlAttribute {
  value: string;
  start: number;
  end: number;
}

const maxCharacters = 32 * 1024 * 1024;
const maxDepth = 100;
const maxElements = 2_000_000;

export interface XmlText {
  roots: XmlElement[];
  source: SourceText;
  problems: ProblemList;
}

/** Problems are reported under the name of the format that reads it. */
export function readXml(text: string, format: string): XmlText {
  const source = new SourceText(text);
  const problems = new ProblemList();
  const reader = new Reader(text, (severity, code, message, start, end) =>
    problems.add({ severity, code: `${format}/${code}`, message, at: source.span(start, end) }),
  );
  return { roots: reader.read(), source, problems };
}

type Tell = (severity: "error" | "warning", code: string, message: string, start: number, end: number) => void;

interface Open {
  element: XmlElement;
  pieces: Piece[];
}

/** A stretch of the text inside an element. */
interface Piece {
  start: number;
  end: number;
  /** Between <![CDATA[ and ]]>: nothing in it means anything. */
  verbatim: boolean;
}

const nameStart = /[A-Za-z_\u0080-\uFFFF]/;
const namePattern = /[A-Za-z_\u0080-\uFFFF][\w.:\-\u0080-\uFFFF]*/y;
const blanks = /\s*/y;
/** `<A>` closes `<A>` only if nothing but text stands between them. */
const closedByItself = /^[^<]*$/;

class Reader {
  private readonly open: Open[] = [];
  private readonly roots: XmlElement[] = [];
  private at = 0;
  private elements = 0;
  private stopped = false;

  constructor(
    private readonly text: string,
    private readonly tell: Tell,
  ) {}

  read(): XmlElement[] {
    const { text } = this;
    if (text.length > maxCharacters) {
      this.fail(
        "too-large",
        `The text is too long: more than ${maxCharacters / 1024 / 1024} million characters.`,
        0,
        0,
      );
      return [];
    }
    if (text.startsWith("\uFEFF")) this.at = 1;
    while (this.at < text.length && !this.stopped) {
      const tag = text.indexOf("<", this.at);
      this.takeText(this.at, tag === -1 ? text.length : tag);
      if (tag === -1) break;
      this.at = tag;
      this.takeMarkup();
    }
    if (!this.stopped) this.closeAll();
    return this.roots;
  }

  private takeMarkup(): undefined {
    const { text, at } = this;
    if (text.startsWith("<!--", at)) return this.skipTo("-->", "comment");
    if (text.startsWith("<![CDATA[", at)) return this.takeCharacterData();
    if (text.startsWith("<?", at)) return this.skipTo("?>", "processing instruction");
    if (text.startsWith("<!", at)) {
      const what = "A document type (<!DOCTYPE …>) is not read: it could name other files or make the text grow.";
      return this.fail("doctype", what, at, Math.min(text.length, at + 9));
    }
    if (text[at + 1] === "/") return this.takeEndTag();
    if (!nameStart.test(text[at + 1] ?? "")) {
      this.tell(
        "warning",
        "bare-less-than",
        "“<” begins no tag here; it is read as text. Write &lt; for it.",
        at,
        at + 1,
      );
      this.at = at + 1;
      this.open.at(-1)?.pieces.push({ start: at, end: at + 1, verbatim: true });
      return;
    }
    this.takeStartTag();
  }

  private takeStartTag(): undefined {
    const start = this.at;
    this.at += 1;
    const name = this.takeName();
    const attributes = new Map<string, XmlAttribute>();
    let empty = false;
    for (;;) {
      this.skipBlanks();
      const next = this.text[this.at];
      if (next === undefined)
        return this.fail("unclosed-tag", `The tag <${name}> is not closed with “>”.`, start, this.at);
      if (next === ">") break;
      if (next === "/" && this.text[this.at + 1] === ">") {
        empty = true;
        this.at += 1;
        break;
      }
      if (!this.takeAttribute(name, attributes)) return;
    }
    this.at += 1;
    this.addElement({ name, local: localOf(name), attributes, children: [], text: "", start, end: this.at }, empty);
  }

  private addElement(element: XmlElement, empty: boolean): undefined {
    const parent = this.open.at(-1);
    // An end tag that lacks its slash, as Figure C.8 of the GRAND thesis prints them.
    if (parent && !empty && element.attributes.size === 0 && this.closesItself(parent, element)) {
      const message = `<${element.name}> should be </${element.name}>; it is read as that.`;
      this.tell("warning", "missing-slash", message, element.start, element.end);
      this.close();
      return;
    }
    this.elements += 1;
    if (this.elements > maxElements) {
      return this.fail("too-large", `There are more than ${maxElements} elements.`, element.start, element.end);
    }
    if (this.open.length >= maxDepth) {
      return this.fail("too-deep", `Elements are nested more than ${maxDepth} deep.`, element.start, element.end);
    }
    (parent?.element.children ?? this.roots).push(element);
    if (!empty) this.open.push({ element, pieces: [] });
  }

  private closesItself({ element: before }: Open, { name, start }: XmlElement): boolean {
    if (before.name !== name || before.children.length > 0) return false;
    const between = this.text.slice(before.end, start);
    return closedByItself.test(between) && between.trim() !== "";
  }

  private takeAttribute(element: string, attributes: Map<string, XmlAttribute>): boolean {
    const start = this.at;
    if (!nameStart.test(this.text[start] ?? "")) {
      this.fail("bad-tag", `Something stands in the tag <${element}> that is no attribute.`, start, start + 1);
      return false;
    }
    const name = this.takeName();
    this.skipBlanks();
    if (this.text[this.at] !== "=") {
      this.fail("bad-attribute", `The attribute “${name}” has no value: “=” is missing.`, start, this.at);
      return false;
    }
    this.at += 1;
    this.skipBlanks();
    const quote = this.text[this.at];
    if (quote !== '"' && quote !== "'") {
      this.fail(
        "bad-attribute",
        `The value of “${name}” must stand in quotes.`,
        this.at,
        Math.min(this.at + 1, this.text.length),
      );
      return false;
    }
    const from = this.at + 1;
    const to = this.text.indexOf(quote, from);
    if (to === -1) {
      this.fail("unclosed-quote", `The value of “${name}” has no closing quote.`, this.at, from);
      return false;
    }
    this.at = to + 1;
    const local = localOf(name);
    // Namespaces are told apart by nobody here, and their declarations are no properties of the element.
    if (name !== "xmlns" && !name.startsWith("xmlns:")) {
      attributes.set(local.toLowerCase(), { value: this.decode(from, to), start, end: this.at });
    }
    return true;
  }

  private takeEndTag(): undefined {
    const start = this.at;
    this.at += 2;
    const name = nameStart.test(this.text[this.at] ?? "") ? this.takeName() : "";
    const end = this.text.indexOf(">", this.at);
    if (name === "" || end === -1) {
      return this.fail("bad-tag", "This end tag is not complete.", start, Math.min(start + 2, this.text.length));
    }
    this.at = end + 1;
    const place = this.open.findLastIndex(({ element }) => element.name === name);
    if (place === -1) {
      this.tell("warning", "stray-end", `</${name}> closes nothing; it is left out.`, start, this.at);
      return;
    }
    while (this.open.length > place + 1) {
      const { element } = this.open.at(-1)!;
      const message = `<${element.name}> is not closed; it is taken to end before </${name}>.`;
      this.tell("warning", "unclosed", message, element.start, element.end);
      this.close();
    }
    this.close();
  }

  private closeAll(): undefined {
    while (this.open.length > 0) {
      const { element } = this.open.at(-1)!;
      this.tell(
        "warning",
        "unclosed",
        `<${element.name}> is not closed; it is taken to end with the text.`,
        element.start,
        element.end,
      );
      this.close();
    }
  }

  private close(): undefined {
    const closed = this.open.pop();
    if (closed) closed.element.text = this.join(closed.pieces);
  }

  private takeText(start: number, end: number): undefined {
    if (start === end) return;
    const open = this.open.at(-1);
    if (open) {
      open.pieces.push({ start, end, verbatim: false });
      return;
    }
    const words = this.text.slice(start, end);
    if (words.trim() === "") return;
    const from = start + words.length - words.trimStart().length;
    this.tell(
      "warning",
      "stray-text",
      "Text outside of all elements means nothing here; it is left out.",
      from,
      start + words.trimEnd().length,
    );
  }

  private takeCharacterData(): undefined {
    const from = this.at + "<![CDATA[".length;
    const to = this.text.indexOf("]]>", from);
    if (to === -1) return this.fail("unclosed-cdata", "<![CDATA[ has no ]]>.", this.at, from);
    this.open.at(-1)?.pieces.push({ start: from, end: to, verbatim: true });
    this.at = to + 3;
  }

  /** Blanks as written do not count at the ends; those written as references do. */
  private join(pieces: readonly Piece[]): string {
    const isBlank = ({ start, end, verbatim }: Piece) => !verbatim && this.text.slice(start, end).trim() === "";
    const first = pieces.findIndex((piece) => !isBlank(piece));
    const last = pieces.findLastIndex((piece) => !isBlank(piece));
    let text = "";
    for (let place = Math.max(0, first); place <= last; place++) {
      let { start, end } = pieces[place]!;
      if (pieces[place]!.verbatim) {
        text += this.text.slice(start, end);
        continue;
      }
      const raw = this.text.slice(start, end);
      if (place === first) start += raw.length - raw.trimStart().length;
      if (place === last) end -= raw.length - raw.trimEnd().length;
      text += this.decode(start, end);
    }
    return text;
  }

  private decode(start: number, end: number): string {
    const { text, faults }: Decoded = decodeText(this.text, start, end);
    for (const { message, start: from, end: to } of faults) this.tell("warning", "bare-ampersand", message, from, to);
    return text;
  }

  private skipTo(ending: string, what: string): undefined {
    const end = this.text.indexOf(ending, this.at + 2);
    if (end === -1) return this.fail("unclosed", `This ${what} has no “${ending}”.`, this.at, this.at + 2);
    this.at = end + ending.length;
  }

  private takeName(): string {
    namePattern.lastIndex = this.at;
    const name = namePattern.exec(this.text)?.[0] ?? "";
    this.at += name.length;
    return name;
  }

  private skipBlanks(): undefined {
    blanks.lastIndex = this.at;
    this.at += blanks.exec(this.text)?.[0].length ?? 0;
  }

  /** Nothing after it can be trusted. */
  private fail(code: string, message: string, start: number, end: number): undefined {
    this.tell("error", code, message, start, end);
    this.stopped = true;
    while (this.open.length > 0) this.close();
  }
}

function localOf(name: string): string {
  return name.slice(name.lastIndexOf(":") + 1);
}
