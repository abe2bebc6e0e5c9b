/**
 * GRID-ADL, the description language of GRAND (thesis, sections F.3.1 and G.2, Appendix I). What a text may say is in
 * `ast.ts`; where the thesis' grammar and its examples differ, the examples win.
 */
import { didYouMean, type Suggest } from "@/core/languages/did-you-mean";
import type { Format, ParsedText, Surroundings } from "@/core/languages/format";
import { tellNul } from "@/core/languages/nul";
import { SourceText } from "@/core/languages/source-text";
import { ProblemList } from "@/core/problem-list";
import type { Place } from "./ast";
import { Lowering } from "./lower";
import { Parser } from "./parser";
import { PlainTaskReader } from "./plain-task";
import { printGridadl } from "./print";
import { SubmitFiles } from "./submit-files";

export { printGridadl } from "./print";

/** Room for a million tasks written one by one. Uploads have a limit of their own, smaller as a rule. */
const maxCharacters = 128 * 1024 * 1024;

export const gridadl: Format = {
  name: "gridadl",
  title: "GRID-ADL",
  ending: ".gadl",
  // Everything that is not recognisably something else is taken for GRID-ADL: its errors tell what was expected.
  detect: () => true,
  parse: parseGridAdl,
  print: printGridadl,
};

export function parseGridAdl(text: string, { readFile }: Surroundings = {}): ParsedText {
  if (text.length > maxCharacters) return tooLong(text.length);
  const source = new SourceText(text);
  const problems = new ProblemList();
  const suggest: Suggest = (word, known) => (problems.isFull ? undefined : didYouMean(word, known));
  const report = (code: string, message: string, place: Place): void =>
    problems.add({ severity: "error", code, message, at: source.span(place.start, place.end) });
  tellNul(text, (message, place) => report("gridadl/nul", message, place));
  const parser = new Parser(text, { report, suggest, hasEnough: () => problems.isFull });
  const submitFiles = readFile && new SubmitFiles(text, problems, readFile);
  const lowering = new Lowering(source, (problem) => problems.add(problem), suggest, submitFiles);
  const plainTasks = new PlainTaskReader(text);
  for (;;) {
    const plain = problems.isFull ? undefined : plainTasks.read(parser.position);
    if (plain) {
      lowering.addPlainTask(plain.task, plain.place);
      parser.position = plain.next;
      continue;
    }
    const statement = parser.next();
    if (!statement) break;
    lowering.add(statement);
  }
  return { application: lowering.finish(), problems: problems.toArray() };
}

function tooLong(length: number): ParsedText {
  const megabytes = (characters: number): string => `${Math.round(characters / 1024 / 1024)} million`;
  const message = `The text has ${megabytes(length)} characters; the limit is ${megabytes(maxCharacters)}.`;
  const at = { line: 1, column: 1, endLine: 1, endColumn: 1 };
  return {
    application: { groups: [], transient: [] },
    problems: [{ severity: "error", code: "gridadl/too-large", message, at }],
  };
}
