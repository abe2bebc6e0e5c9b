/** HTCondor's notations for environments and argument lists, and the two functions that ask the machine. */
import { ERROR, ListValue, type Value } from "../value";
import { anyNumber, type BuiltIn, ofDefined, ofValues } from "./define";

/** Words of the new notation: blanks separate, single quotes group, two single quotes inside quotes are one. */
function words(text: string): string[] | undefined {
  const found: string[] = [];
  let current: string | undefined;
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (/\s/.test(character)) {
      if (current !== undefined) found.push(current);
      current = undefined;
    } else if (character === "'") {
      current ??= "";
      for (i++; ; i++) {
        if (i >= text.length) return undefined;
        if (text[i] !== "'") current += text[i];
        else if (text[i + 1] === "'") current += text[i++];
        else break;
      }
    } else current = (current ?? "") + character;
  }
  if (current !== undefined) found.push(current);
  return found;
}

const quoted = (word: string) =>
  word === "" ? "''" : word.replace(/[\s']+/g, (special) => `'${special.replace(/'/g, "''")}'`);

function mergeEnvironment(values: readonly Value[]): Value {
  const variables = new Map<string, string>();
  for (const value of values) {
    if (value === undefined) continue;
    const found = typeof value === "string" ? words(value) : undefined;
    if (!found) return ERROR;
    for (const word of found) {
      const equals = word.indexOf("=");
      if (equals < 1) return ERROR;
      variables.set(word.slice(0, equals), word.slice(equals + 1));
    }
  }
  const sorted = [...variables].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, value]) => `${name}=${value === "" ? "" : quoted(value)}`).join(" ");
}

export const environment: readonly BuiltIn[] = [
  ofDefined("envV1ToV2", (value) => {
    if (typeof value !== "string") return ERROR;
    const assignments = value.split(";").filter((piece) => piece.trim() !== "");
    if (assignments.some((piece) => piece.indexOf("=") < 1)) return ERROR;
    return assignments.map((piece) => quoted(piece.trimStart())).join(" ");
  }),
  ofValues("mergeEnvironment", 0, anyNumber, mergeEnvironment),
  ofValues("listToArgs", 1, 2, (values) => {
    const [value, version] = values.length > 1 ? values : [...values, 2];
    if (!(value instanceof ListValue) || (version !== 1 && version !== 2)) return ERROR;
    const pieces: string[] = [];
    for (let i = 0; i < value.length; i++) {
      const element = value.at(i);
      if (typeof element !== "string") return ERROR;
      // The old notation has no way to say a blank.
      if (version === 1 && /^$|\s/.test(element)) return ERROR;
      pieces.push(version === 1 ? element : quoted(element));
    }
    return pieces.join(" ");
  }),
  ofValues("argsToList", 1, 2, (values) => {
    const [value, version] = values.length > 1 ? values : [...values, 2];
    if (typeof value !== "string" || (version !== 1 && version !== 2)) return ERROR;
    const found = version === 1 ? value.split(/\s+/).filter((word) => word !== "") : words(value);
    return found ? ListValue.of(found) : ERROR;
  }),
  // No user of the portal's machine is anyone's business: only the default is ever given.
  ofValues("userHome", 1, 2, ([user, otherwise]) => (typeof user === "string" ? otherwise : ERROR)),
  ofValues("userMap", 2, 4, (values) => (values.length === 4 ? values[3] : undefined)),
];
