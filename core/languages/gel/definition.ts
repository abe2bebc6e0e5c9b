/** `{exec="B.exe"; dir="/path"; args="A.out", "x"}`: what a task of GEL runs. */
import type { TextReports } from "@/core/languages/reports";
import { type Token, TokenReader } from "@/core/languages/tokens";

export interface TaskDefinition {
  executable: string;
  arguments: string[];
}

/** Undefined if it cannot be used; the reason is told and the reader stands after it. */
export function readDefinition(tokens: TokenReader, reports: TextReports, name: Token): TaskDefinition | undefined {
  if (!tokens.takeSign("{")) {
    const { next } = tokens;
    reports.error(
      "syntax",
      `The definition of “${name.text}” must stand in braces, not ${TokenReader.show(next)}.`,
      next,
    );
    return skip(tokens);
  }
  const said = new Map<string, string[]>();
  while (!tokens.takeSign("}")) {
    const key = tokens.take();
    const values = key.is === "word" && tokens.takeSign("=", ":=") ? readValues(tokens) : [];
    if (key.is !== "word" || values.length === 0) {
      const message = `In braces stand settings such as exec="A.exe", not ${TokenReader.show(key)}.`;
      reports.error("syntax", message, key);
      return skip(tokens);
    }
    if (!["exec", "dir", "args"].includes(key.text)) {
      reports.warning("not-kept", `“${key.text}” of ${name.text} is not kept: nothing here corresponds to it.`, key);
    }
    said.set(key.text, values);
    if (tokens.takeSign(";")) continue;
    const { next } = tokens;
    if (next.is === "sign" && next.text === "}") continue;
    reports.error("syntax", `Settings are separated by “;”, not by ${TokenReader.show(next)}.`, next);
    return skip(tokens);
  }
  const [program] = said.get("exec") ?? [];
  if (!program) return reports.error("no-program", `“${name.text}” names no program: exec="…" is missing.`, name);
  const directory = said.get("dir")?.[0]?.replace(/\/+$/, "");
  return {
    executable: directory === undefined ? program : `${directory}/${program}`,
    arguments: said.get("args") ?? [],
  };
}

/** One string, or several with commas between them. */
function readValues(tokens: TokenReader): string[] {
  const values: string[] = [];
  do {
    if (tokens.next.is !== "string") return values;
    values.push(tokens.take().text);
  } while (tokens.takeSign(","));
  return values;
}

function skip(tokens: TokenReader): undefined {
  while (!tokens.atEnd && !tokens.takeSign("}")) tokens.take();
}
