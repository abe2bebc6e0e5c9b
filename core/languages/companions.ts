/**
 * The companions of a workflow's text: files it names as part of its description (a DAG's submit files and splices, a
 * template's requirement). Which they are is known only when the text has been read, so it is read again until it asks
 * for no more.
 */
import { type ParsedWorkflow, parseWorkflow, type Surroundings } from ".";

/** Files that name further files are followed this deep at most. */
const maxRounds = 100;

export interface ParsedWithCompanions {
  parsed: ParsedWorkflow;
  readFile: NonNullable<Surroundings["readFile"]>;
}

export async function parseWithCompanions(
  text: string,
  fileName: string | undefined,
  read: (name: string) => Promise<string | undefined>,
): Promise<ParsedWithCompanions> {
  const known = new Map<string, string | undefined>();
  const readFile = (name: string): string | undefined => known.get(name);
  for (let round = 1; ; round++) {
    const wanted = new Set<string>();
    const parsed = parseWorkflow(text, fileName, (name) => {
      if (!known.has(name)) wanted.add(name);
      return known.get(name);
    });
    if (wanted.size === 0 || round === maxRounds) return { parsed, readFile };
    for (const name of wanted) known.set(name, await read(name));
  }
}

/**
 * The name a companion is kept under: as the text says it, but always inside the workflow's own folder. A path from
 * elsewhere (`/home/ada/a.sub`, `../b.sub`) keeps its parts, so that two different files stay two.
 */
export function companionName(asked: string): string {
  const parts = asked.split("/").filter((part) => part !== "" && part !== ".");
  return parts.map((part) => (part === ".." ? "up" : part)).join("/");
}
