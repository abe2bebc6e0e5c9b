/**
 * `${…}` in a template's texts. Variables of the array become variables of a loop; those of the template's own
 * ENVIRONMENT are filled in; the others (`${GW_ARCH}`, `${GW_JOB_ID}`, …) are known when a host is chosen and stay.
 */
import type { Piece, Template } from "@/core/workflow/application";

/** What GridWay calls without a prefix and the paper with one; the prefixed names are kept. */
const runTime = new Set([
  "ARCH",
  "JOB_ID",
  "TASK_ID",
  "ARRAY_ID",
  "TOTAL_TASKS",
  "PARAM",
  "MAX_PARAM",
  "HOSTNAME",
  "USER",
  "RESTARTED",
]);

export interface VariableValues {
  /** By the name without GW_: the value, or the loop that gives it. */
  array: ReadonlyMap<string, string | { loop: string }>;
  environment: ReadonlyMap<string, string>;
  unknown(name: string): void;
}

export function fillIn(text: string, values: VariableValues): Template {
  const pieces: Piece[] = [];
  let plain = "";
  let copied = 0;
  for (const match of text.matchAll(/\$\{([^{}$]*)\}/g)) {
    plain += text.slice(copied, match.index);
    copied = match.index + match[0].length;
    const name = match[1]!.trim();
    const short = name.replace(/^GW_/, "");
    const ofArray = values.array.get(short);
    if (typeof ofArray === "object") {
      if (plain !== "") pieces.push({ text: plain, quoted: true });
      pieces.push({ variable: ofArray.loop, quoted: true });
      plain = "";
    } else if (ofArray !== undefined) plain += ofArray;
    else if (name.startsWith("GW_")) plain += match[0];
    else if (values.environment.has(name)) plain += values.environment.get(name);
    else if (runTime.has(name)) plain += `\${GW_${name}}`;
    else {
      values.unknown(name);
      plain += match[0];
    }
  }
  plain += text.slice(copied);
  if (plain !== "") pieces.push({ text: plain, quoted: true });
  return pieces;
}

/** The array variables a text mentions, without GW_. */
export function mentioned(text: string): string[] {
  return [...text.matchAll(/\$\{(?:GW_)?([^{}$]*)\}/g)].map((match) => match[1]!.trim());
}
