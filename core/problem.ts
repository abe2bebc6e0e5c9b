/**
 * A problem is a value: what is wrong, in a sentence a scientist understands, and where.
 * Parsers, the workflow checks and the expression language all report in this shape, so the
 * editor, the command line and the server can show any of them the same way.
 */
export interface Problem {
  severity: "error" | "warning";
  /** A stable, machine-readable name such as `gridadl/unclosed-block` or `workflow/cycle`. */
  code: string;
  message: string;
  /** Where in the text, if it comes from a text. */
  at?: Span;
  /** Where in a file the text names, such as a submit file. `at` is then the place that names it. */
  inFile?: { name: string; at: Span };
  /** The task it concerns, by name, if it concerns one. */
  task?: string;
}

/** A stretch of text. Lines and columns start at 1; columns count UTF-16 units; `end` is exclusive. */
export interface Span {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === "error");
}

/** `FILE:LINE:COL: message`, the form editors and terminals can jump to. */
export function formatProblem(problem: Problem, file: string): string {
  const warning = problem.severity === "warning" ? "warning: " : "";
  return `${placeIn(file, problem.at)}: ${warning}${sentenceOf(problem)}`;
}

/** The message, led by its file, line and column if it is about another file than the text. */
export function sentenceOf({ message, inFile }: Pick<Problem, "message" | "inFile">): string {
  return inFile ? `${placeIn(inFile.name, inFile.at)}: ${message}` : message;
}

function placeIn(file: string, at: Span | undefined): string {
  return at ? `${file}:${at.line}:${at.column}` : file;
}
