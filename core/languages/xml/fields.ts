/** What the readers of XML formats ask of elements, and how they report. */
import type { ParsedText } from "@/core/languages/format";
import { tellNul } from "@/core/languages/nul";
import type { Span } from "@/core/problem";
import type { Application } from "@/core/workflow/application";
import { readXml, type XmlElement, type XmlText } from "./read";

type Place = Pick<XmlElement, "start" | "end">;

export class XmlFields {
  readonly roots: readonly XmlElement[];
  readonly #xml: XmlText;
  readonly #said = new Set<string>();

  constructor(
    text: string,
    /** The format's name, before the codes of its problems. */
    private readonly format: string,
  ) {
    this.#xml = readXml(text, format);
    this.roots = this.#xml.roots;
    tellNul(text, (message, place) => this.error("nul", message, place));
  }

  /** The first element of that name, at the top or anywhere below; prefixes and letters' case do not count. */
  find(local: string, among: readonly XmlElement[] = this.roots): XmlElement | undefined {
    for (const element of among) {
      const found = is(element, local) ? element : this.find(local, element.children);
      if (found) return found;
    }
    return undefined;
  }

  span({ start, end }: Place): Span {
    return this.#xml.source.span(start, end);
  }

  error(code: string, message: string, at: Place): undefined {
    this.#xml.problems.add({ severity: "error", code: `${this.format}/${code}`, message, at: this.span(at) });
  }

  warning(code: string, message: string, at: Place): undefined {
    this.#xml.problems.add({ severity: "warning", code: `${this.format}/${code}`, message, at: this.span(at) });
  }

  /** The first time only: the same would be said of a thousand tasks. */
  warnOnce(key: string, code: string, message: string, at: Place): void {
    if (this.#said.has(key)) return;
    this.#said.add(key);
    this.warning(code, message, at);
  }

  /** Children nobody asks for are named, each name once. */
  tellOthers(element: XmlElement, known: readonly string[]): void {
    for (const child of element.children) {
      if (known.some((local) => is(child, local))) continue;
      const where = `<${child.name}> in <${element.name}>`;
      this.warnOnce(
        `element ${element.local} ${child.local}`,
        "not-kept",
        `${where} is not kept: nothing here corresponds to it.`,
        child,
      );
    }
  }

  tellOtherAttributes(element: XmlElement, known: readonly string[]): void {
    for (const [name, attribute] of element.attributes) {
      if (known.includes(name) || name === "schemalocation") continue;
      const message = `The attribute “${name}” of <${element.name}> is not kept: nothing here corresponds to it.`;
      this.warnOnce(`attribute ${element.local} ${name}`, "not-kept", message, attribute);
    }
  }

  result(application: Application): ParsedText {
    return { application, problems: this.#xml.problems.toArray() };
  }
}

export function is(element: XmlElement, local: string): boolean {
  return element.local.toLowerCase() === local.toLowerCase();
}

export function child(element: XmlElement, local: string): XmlElement | undefined {
  return element.children.find((one) => is(one, local));
}

export function childrenOf(element: XmlElement, local: string): XmlElement[] {
  return element.children.filter((one) => is(one, local));
}

export function textOf(element: XmlElement, local: string): string | undefined {
  const text = child(element, local)?.text;
  return text === "" ? undefined : text;
}
