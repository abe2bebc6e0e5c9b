/**
 * DAGMan input files with the submit descriptions they name, as HTCondor's manual describes them ("DAGMan Workflows",
 * "Submitting a Job"). What a DAG may say is in `statements.ts`, what becomes of it in `lower.ts`.
 */

import { filesWithoutNul, Reports, Source } from "@/core/languages/condor-submit/source";
import type { Format, ParsedText, Surroundings } from "@/core/languages/format";
import { tellNul } from "@/core/languages/nul";
import { ProblemList } from "@/core/problem-list";
import { DagReader } from "./dag";
import { Lowering } from "./lower";
import { isDagKeyword } from "./parser";
import { printDagman } from "./print";

export { printDagman } from "./print";
export { printRescue } from "./rescue";

const maxCharacters = 128 * 1024 * 1024;

export const dagman: Format = {
  name: "dagman",
  title: "DAGMan",
  ending: ".dag",
  detect: isDagman,
  parse: parseDagman,
  print: printDagman,
};

/** A DAG has a JOB, or its like, among its first lines; GRID-ADL and job templates start otherwise. */
function isDagman(text: string, fileName?: string): boolean {
  let looked = 0;
  for (const match of text.slice(0, 100_000).matchAll(/^[ \t]*([A-Za-z_-]+)(?:[ \t]+(\S+))?/gm)) {
    const [, keyword = "", next = ""] = match;
    if (
      /^(?:JOB|DATA|FINAL|SPLICE|SUBDAG|SUBMIT-DESCRIPTION|PARENT|INCLUDE)$/i.test(keyword) &&
      !/^[=+({]/.test(next)
    ) {
      // GRID-ADL may say the order of its tasks, too.
      return next !== "" && !(/^(?:PARENT|FINAL)$/i.test(keyword) && hasTasks(text));
    }
    looked += isDagKeyword(keyword) ? 0 : 1;
    if (looked > 0) break;
  }
  // A text with tasks is GRID-ADL, also where it was pasted over a DAG that came in a file.
  return /\.dag(?:\.rescue\d+)?$/i.test(fileName ?? "") && !hasTasks(text);
}

const hasTasks = (text: string): boolean => /^[ \t]*(?:task|foreach)\b/m.test(text.slice(0, 100_000));

export function parseDagman(text: string, surroundings: Surroundings = {}): ParsedText {
  const problems = new ProblemList();
  const reports = new Reports(problems);
  const source = new Source(text);
  if (text.length > maxCharacters) {
    const message = `The text is too long: more than ${maxCharacters / 1024 / 1024} million characters.`;
    reports.error("too-large", message, { source, start: 0, end: 0 });
    return { application: { groups: [], transient: [] }, problems: problems.toArray() };
  }
  const readFile = filesWithoutNul(surroundings.readFile);
  tellNul(text, (message, place) => reports.error("nul", message, { source, ...place }));
  const readable = text.includes("\0") ? new Source(text.replaceAll("\0", " ")) : source;
  const dag = new DagReader(reports, readFile).read(readable, surroundings.fileName);
  const application = new Lowering(reports, readFile).application(dag);
  return { application, problems: problems.toArray() };
}
