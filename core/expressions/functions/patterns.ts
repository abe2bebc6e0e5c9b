/** Regular expressions. Patterns go through our own matcher, whose time is bounded whatever the pattern. */
import { Pattern, type Work } from "../regex";
import { maximumText } from "../unparse";
import { ERROR, type Frame, ListValue, type Value } from "../value";
import { bounded } from "./convert";
import { type BuiltIn, exceptional, ofValues } from "./define";
import { pieces } from "./string-lists";

// The same few patterns are tried on thousands of hosts; keep what they compiled to.
const cache = new Map<string, Pattern | string>();

function patternOf(text: string, options: string): Pattern | undefined {
  const flags = options.replace(/[^imsx]/g, "");
  const key = `${flags}/${text}`;
  let pattern = cache.get(key);
  if (pattern === undefined) {
    if (cache.size >= 200) cache.clear();
    pattern = Pattern.compile(text, flags);
    cache.set(key, pattern);
  }
  return typeof pattern === "string" ? undefined : pattern;
}

/** One call may search this much; what it used is taken from the evaluation's steps. */
const searchAllowance = 10_000_000;

function searching(frame: Frame, search: (work: Work) => Value): Value {
  const work: Work = { left: searchAllowance };
  const value = search(work);
  frame.session.stepsLeft -= (searchAllowance - work.left) >> 8;
  return frame.session.stepsLeft < 0 ? ERROR : value;
}

function regexp(values: readonly Value[], frame: Frame): Value {
  const strange = exceptional(values);
  if (strange) return strange.value;
  const [text, target, options = ""] = values;
  if (typeof text !== "string" || typeof target !== "string" || typeof options !== "string") return ERROR;
  return searching(frame, (work) => patternOf(text, options)?.test(target, work) ?? ERROR);
}

function regexpMember(values: readonly Value[], frame: Frame): Value {
  const [text, list, options = ""] = values;
  if (values.includes(undefined)) return values.includes(ERROR) ? ERROR : undefined;
  if (typeof text !== "string" || !(list instanceof ListValue) || typeof options !== "string") return ERROR;
  const pattern = patternOf(text, options);
  if (!pattern) return ERROR;
  return searching(frame, (work) => {
    let answer: Value = false;
    for (let i = 0; i < list.length; i++) {
      const target = list.at(i);
      if (target === undefined) answer = undefined;
      else if (typeof target !== "string") return ERROR;
      else {
        const found = pattern.test(target, work);
        if (found !== false) return found ?? ERROR;
      }
    }
    return answer;
  });
}

/** `\1` in the substitute stands for the first group, `\0` for the whole match; other backslashes are themselves. */
function expand(substitute: string, target: string, groups: readonly number[]): string | undefined {
  let result = "";
  const last = groups.findLastIndex((place) => place >= 0);
  for (let i = 0; i < substitute.length; i++) {
    const digit = substitute.charCodeAt(i + 1) - 48;
    if (substitute[i] !== "\\" || !(digit >= 0 && digit <= 9)) {
      result += substitute[i];
      continue;
    }
    // A group after the last that took part in the match makes the whole an error; one before it that did not is empty.
    if (digit * 2 > last) return undefined;
    const start = groups[digit * 2] ?? -1;
    if (start >= 0) result += target.slice(start, groups[digit * 2 + 1]);
    i++;
  }
  return result;
}

interface Substitution {
  pattern: Pattern;
  target: string;
  substitute: string;
  /** Give the whole target back, not only what was put in. */
  full: boolean;
  every: boolean;
}

function substituted({ pattern, target, substitute, full, every }: Substitution, work: Work): Value {
  let result = "";
  let copied = 0;
  for (let from = 0; from <= target.length; ) {
    const groups = pattern.match(target, from, work);
    if (groups === undefined) return ERROR;
    if (groups === null) break;
    const piece = expand(substitute, target, groups);
    const [start, end] = [groups[0] ?? 0, groups[1] ?? 0];
    if (piece === undefined || result.length > maximumText) return ERROR;
    result += (full ? target.slice(copied, start) : "") + piece;
    copied = end;
    if (!every) break;
    // An empty match in a "replace every" would repeat itself for ever: HTCondor calls that an error too.
    if (end === start) return ERROR;
    from = end;
  }
  return bounded(full ? result + target.slice(copied) : result);
}

const substitution = (name: string, always: string): BuiltIn =>
  ofValues(name, 3, 4, (values, frame) => {
    const strange = exceptional(values);
    if (strange) return strange.value;
    const [text, target, substitute, given = ""] = values;
    if (typeof text !== "string" || typeof target !== "string" || typeof substitute !== "string") return ERROR;
    if (typeof given !== "string") return ERROR;
    const options = given + always;
    const pattern = patternOf(text, options);
    if (!pattern) return ERROR;
    const full = options.includes("f");
    const every = options.includes("g");
    return searching(frame, (work) => substituted({ pattern, target, substitute, full, every }, work));
  });

const stringListRegexpMember = ofValues("stringList_regexpMember", 2, 4, (values, frame) => {
  if (values.includes(undefined)) return ERROR;
  const [text, list, delimiters = " ,", options = ""] = values;
  if (typeof text !== "string" || typeof list !== "string") return ERROR;
  if (typeof delimiters !== "string" || typeof options !== "string") return ERROR;
  // Only this function takes capital letters for options too.
  const pattern = patternOf(text, options.toLowerCase());
  if (!pattern) return ERROR;
  const found = pieces(list, delimiters);
  if (found.length === 0) return undefined;
  return searching(frame, (work) => found.some((piece) => pattern.test(piece, work) === true));
});

export const patterns: readonly BuiltIn[] = [
  ofValues("regexp", 2, 3, regexp),
  ofValues("regexpMember", 2, 3, regexpMember),
  substitution("regexps", ""),
  substitution("replace", "f"),
  substitution("replaceAll", "fg"),
  stringListRegexpMember,
];
