/** Templates from texts that are to be taken as they are, for formats that have no variables of their own kind. */
import type { Piece, Template } from "@/core/workflow/application";

/** Stands for the loop variable in a text that is still to become a template; no format allows it in its texts. */
export const hole = "\0";

export function literal(text: string, variable?: string): Template {
  if (!text.includes(hole)) return text === "" ? [] : [{ text, quoted: true }];
  const pieces: Piece[] = [];
  text.split(hole).forEach((part, i) => {
    if (i > 0) pieces.push(variable === undefined ? { text: "0", quoted: true } : { variable, quoted: true });
    if (part !== "") pieces.push({ text: part, quoted: true });
  });
  return pieces;
}

/** One file name: file templates are split at `;`, so one inside a name is escaped. */
export function literalFile(name: string, variable?: string): Template {
  return literal(name.replaceAll(";", "\\;"), variable);
}
