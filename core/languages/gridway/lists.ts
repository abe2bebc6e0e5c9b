/**
 * Lists in a job template's values. Files: the first GridWay wrote them between quotes, separated by blanks; its releases
 * separate them by commas and let each have a second name, the one it gets on the other side.
 */
import type { Entry, Reports } from "./entries";

export function readFiles(entry: Entry, direction: "input" | "output", reports: Reports): string[] {
  const isOld = entry.quoted && !entry.value.includes(",");
  const items = entry.value
    .split(isOld ? /\s+/ : ",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
  return items.flatMap((item) => {
    const [first, second, third] = isOld ? [item] : item.split(/\s+/);
    if (third !== undefined) {
      const message = `"${item}" has more than two names; files are separated by commas.`;
      reports.error("bad-file", message, entry.valuePlace);
      return [];
    }
    return fileName(first!, second, direction, entry, reports);
  });
}

function fileName(
  first: string,
  second: string | undefined,
  direction: "input" | "output",
  entry: Entry,
  reports: Reports,
): string[] {
  const [inside, outside] = direction === "input" ? [second ?? first, first] : [first, second ?? first];
  const local = inside.replace(/^file:\/\//, "");
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(outside.replace(/^file:\/\//, ""))) {
    const what = direction === "input" ? "Give the file with the workflow" : "The file is kept with the run";
    reports.warning("not-kept", `The address "${outside}" is not kept. ${what}.`, entry.valuePlace);
    const name = second === undefined ? local.slice(local.lastIndexOf("/") + 1) : local;
    return name === "" ? [] : [name];
  }
  if (second === undefined) return [local];
  const source = outside.replace(/^file:\/\//, "");
  // An absolute file of the submitter's is staged under its last name anyway.
  if (direction === "input" && source.startsWith("/") && source.endsWith(`/${local}`)) return [source];
  const message =
    direction === "input"
      ? `A file has one name here: give "${outside}" as "${local}".`
      : `A file has one name here: "${local}" is not renamed to "${outside}".`;
  if (source !== local) reports.warning("renamed-file", message, entry.valuePlace);
  return [local];
}

export function readEnvironment(entry: Entry, reports: Reports): { name: string; value: string }[] {
  const variables: { name: string; value: string }[] = [];
  const pattern = /[\s,]*(?:([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"([^"]*)"|([^,]*)))/y;
  const end = entry.value.trimEnd().replace(/,+$/, "").length;
  let at = 0;
  while (at < end) {
    pattern.lastIndex = at;
    const match = pattern.exec(entry.value);
    if (!match) {
      const start = entry.valuePlace.start + at;
      reports.error("bad-environment", "An environment is `NAME=value, NAME=value`.", {
        start,
        end: entry.valuePlace.end,
      });
      return variables;
    }
    variables.push({ name: match[1]!, value: match[2] ?? match[3]!.trim() });
    at = pattern.lastIndex;
  }
  return variables;
}
