/**
 * Macros of submit descriptions: `$(name)`, `$(name:otherwise)`. Values are filled in when they are needed, so a macro
 * may be set after it is mentioned; depth and length are bounded, since a few lines could say a text of any length.
 */
export interface MacroFaults {
  undefinedMacro(name: string): void;
  /** `$$(…)`, `$ENV(…)` and the like are known to HTCondor only. */
  unsupported(text: string): void;
  endless(name: string): void;
}

const maxDepth = 30;
export const maxExpandedLength = 200_000;
const reference = /\$(\$|[A-Za-z_]*)\(([^()$]*)\)/g;

/** Returns nothing if the text refers to itself or grows beyond all bounds, after having told so. */
export function expandMacros(
  text: string,
  lookUp: (name: string) => string | undefined,
  faults: MacroFaults,
): string | undefined {
  return expand(text, lookUp, faults, 0);
}

function expand(
  text: string,
  lookUp: (name: string) => string | undefined,
  faults: MacroFaults,
  depth: number,
): string | undefined {
  if (!text.includes("$")) return text;
  let failed = false;
  let grown = 0;
  const expanded = text.replace(reference, (whole: string, kind: string, inside: string) => {
    if (failed) return "";
    if (kind !== "") {
      faults.unsupported(whole);
      return whole;
    }
    const colon = inside.indexOf(":");
    const name = (colon === -1 ? inside : inside.slice(0, colon)).trim();
    if (name.toUpperCase() === "DOLLAR") return "$";
    const value = lookUp(name) ?? (colon === -1 ? undefined : inside.slice(colon + 1));
    if (value === undefined) {
      faults.undefinedMacro(name);
      return "";
    }
    const inner = depth < maxDepth ? expand(value, lookUp, faults, depth + 1) : undefined;
    grown += inner?.length ?? 0;
    if (inner === undefined || grown > maxExpandedLength) {
      if (!failed && (depth >= maxDepth || inner !== undefined)) faults.endless(name);
      failed = true;
      return "";
    }
    return inner;
  });
  return failed ? undefined : expanded;
}

/** The names of all macros a text mentions, in small letters. */
export function mentionedMacros(text: string): string[] {
  return [...text.matchAll(reference)].map((match) => match[2]!.split(":", 1)[0]!.trim().toLowerCase());
}
