/** Reads the plain XML that Grid Engine's commands print: elements, attributes and text. */
export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  text: string;
}

const mostElements = 5_000_000;

/** The root element; undefined if the text is not such XML. */
export function parseXml(source: string): XmlElement | undefined {
  const root: XmlElement = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  let count = 0;
  const pattern =
    /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<(\/?)([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/g;
  for (const [, closing, name, attributes, empty, text] of source.matchAll(pattern)) {
    const current = open.at(-1);
    if (!current || ++count > mostElements) return undefined;
    if (text !== undefined) current.text += decode(text);
    if (name === undefined) continue;
    if (closing === "/") {
      if (current.name !== name) return undefined;
      open.pop();
      continue;
    }
    const element = { name, attributes: readAttributes(attributes ?? ""), children: [], text: "" };
    current.children.push(element);
    if (empty !== "/") open.push(element);
  }
  return open.length === 1 ? root.children[0] : undefined;
}

/** All elements of a name, at any depth. */
export function findAll(element: XmlElement, name: string): XmlElement[] {
  const found = element.children.flatMap((child) => findAll(child, name));
  return element.name === name ? [element, ...found] : found;
}

export function childText(element: XmlElement, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text.trim();
}

function readAttributes(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
  return Object.fromEntries(pairs.map(([, name = "", double, single]) => [name, decode(double ?? single ?? "")]));
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    const code = Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
