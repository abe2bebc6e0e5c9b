/** Shell patterns (`node*.es`) and substring patterns as ClassAd tests. */
import { binary, call, type Expr, literal } from "../ast";

const escapeRegex = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A shell pattern as a regular expression that must cover the whole text. */
export function shellPatternToRegex(pattern: string): string {
  let regex = "";
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i]!;
    if (character === "*") regex += ".*";
    else if (character === "?") regex += ".";
    else if (character === "\\" && i + 1 < pattern.length) regex += escapeRegex(pattern[++i]!);
    else if (character === "[") {
      const set = /^\[([!^]?)(\]?[^\]]*)\]/.exec(pattern.slice(i));
      if (set) {
        regex += `[${set[1] ? "^" : ""}${set[2]!.replace(/[\\[\]^]/g, "\\$&")}]`;
        i += set[0].length - 1;
      } else regex += "\\[";
    } else regex += escapeRegex(character);
  }
  return `^${regex}\\z`;
}

/** `attribute` matches a shell pattern; without wildcards a plain comparison, with letters told apart as fnmatch does. */
export function matchesShellPattern(attribute: Expr, pattern: string): Expr {
  if (!/[*?[\\]/.test(pattern)) return binary("=?=", attribute, literal(pattern));
  return call("regexp", literal(shellPatternToRegex(pattern)), attribute);
}
