/**
 * GRID-ADL as written: what the parser makes of a text (thesis, Appendix I). Places are offsets into the text;
 * nothing is evaluated yet. A statement that could not be read stays in the tree as `broken`, so that the rest
 * of the text is still understood.
 */

export interface Place {
  start: number;
  /** Exclusive. */
  end: number;
}

/** Pieces without a blank between them: `"t.out."${n}`. */
export interface Word extends Place {
  pieces: WordPiece[];
}

export type WordPiece = TextPiece | VariablePiece;

export interface TextPiece {
  is: "text";
  text: string;
  quoted: boolean;
}

/** `${name}`; `quoted` when it stands inside a quoted string. */
export interface VariablePiece extends Place {
  is: "variable";
  name: string;
  quoted: boolean;
}

export type Statement =
  | GraphStatement
  | RequirementStatement
  | TaskStatement
  | ForeachStatement
  | IfStatement
  | AssignmentStatement
  | TransientStatement
  | OrderStatement
  | FinalStatement
  | BrokenStatement;

export interface GraphStatement extends Place {
  is: "graph";
  type: "independent" | "loosely-coupled" | "tightly-coupled";
}

/** `requirement = ( … )` or `requirement = "…"`, kept as text: the expression language reads it. */
export interface RequirementStatement extends Place {
  is: "requirement";
  text: string;
  /** Where the expression itself is. */
  textAt: Place;
}

export interface TaskStatement extends Place {
  is: "task";
  name?: Word;
  executable: Word;
  /** One word as the program gets it: several words after `-a` are joined by a blank. */
  arguments?: Word;
  inputs: Word[];
  outputs: Word[];
  weight?: Word;
  /** Options of a task that may move while it runs, by their name (adaptive.ts). */
  adaptive?: Map<string, Word[]>;
  /** `-r`: what this task needs of a host, beside what the application needs. */
  requirement?: Word;
  /** `-w`: tasks and the exit codes after which this one runs. */
  when: Word[];
  /** `-j`. */
  join: boolean;
  /** `-q`: resources and software. */
  needs: Word[];
  /** `-s`: a file it writes with tasks to add. */
  spawns?: Word;
  done: boolean;
}

export interface ForeachStatement extends Place {
  is: "foreach";
  variable: string;
  over: LoopValues;
  body: Statement[];
}

export type LoopValues =
  | ({ is: "range"; from: Expression; to: Expression; step?: Expression } & Place)
  | ({ is: "set"; values: Word[] } & Place);

export interface IfStatement extends Place {
  is: "if";
  condition: Condition;
  then: Statement[];
  otherwise: Statement[];
}

export interface AssignmentStatement extends Place {
  is: "assignment";
  name: string;
  value: Expression;
}

export interface TransientStatement extends Place {
  is: "transient";
  files: Word[];
}

/** `parent A B child C D`: each of the first before each of the others. */
export interface OrderStatement extends Place {
  is: "order";
  before: Word[];
  after: Word[];
}

export interface FinalStatement extends Place {
  is: "final";
  name: Word;
}

/** Already reported. What it declares is known by name, so that its uses are not reported as well. */
export interface BrokenStatement extends Place {
  is: "broken";
  declares: string[];
}

export type ArithmeticOperator = "+" | "-" | "*" | "/" | "^";
export type Comparison = "==" | "!=" | ">" | ">=" | "<" | "<=";

/** `first` and then each step from the left; a list, so that a long sum is not a deep tree. */
export type Expression =
  | ({ is: "number"; value: number } & Place)
  | ({ is: "word"; word: Word } & Place)
  | ({ is: "chain"; first: Expression; steps: ChainStep[] } & Place);

export interface ChainStep {
  operator: ArithmeticOperator;
  operand: Expression;
}

export type Condition =
  | ({ is: "comparison"; operator: Comparison; left: Expression; right: Expression } & Place)
  | ({ is: "both" | "either"; parts: Condition[] } & Place);
