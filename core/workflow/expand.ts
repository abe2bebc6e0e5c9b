/**
 * Templates with their loop variables filled in: as one text, or as a list of file names.
 */
import type { Template } from "./application";

/** The current values of the loop variables. */
export type Bindings = ReadonlyMap<string, string>;

export const noBindings: Bindings = new Map();

export function expandText(template: Template, bindings: Bindings): string {
  let text = "";
  for (const piece of template) text += "text" in piece ? piece.text : boundValue(piece.variable, bindings);
  return text;
}

/**
 * File names are separated by `;`, and outside quotes by blanks too. `\;` is a semicolon inside a name. Blanks
 * around a `;` and empty names do not count.
 */
export function expandList(template: Template, bindings: Bindings): string[] {
  // Nearly every name of a million has nothing to split at.
  const whole = expandText(template, bindings);
  if (!/[;\s]/.test(whole)) return whole === "" ? [] : [whole];
  return split(template, bindings);
}

function split(template: Template, bindings: Bindings): string[] {
  const names: string[] = [];
  let name = "";
  let trimStart = false;
  const flush = (atSemicolon: boolean): void => {
    if (trimStart) name = name.trimStart();
    if (atSemicolon) name = name.trimEnd();
    if (name !== "") names.push(name);
    name = "";
    trimStart = atSemicolon;
  };
  for (const piece of template) {
    const text = "text" in piece ? piece.text : boundValue(piece.variable, bindings);
    const separators = piece.quoted ? /\\;|;/g : /\\;|;|\s+/g;
    let copied = 0;
    for (let match = separators.exec(text); match; match = separators.exec(text)) {
      name += text.slice(copied, match.index);
      copied = match.index + match[0].length;
      if (match[0] === "\\;") name += ";";
      else flush(match[0] === ";");
    }
    name += copied === 0 ? text : text.slice(copied);
  }
  flush(false);
  return names;
}

function boundValue(variable: string, bindings: Bindings): string {
  const value = bindings.get(variable);
  if (value === undefined) throw new Error(`no loop gives the variable ${variable} a value`);
  return value;
}
