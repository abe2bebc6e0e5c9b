/** What a DAG input file may say, statement by statement, before names are looked up. */
import type { Word } from "@/core/languages/condor-submit/lines";
import type { Place } from "@/core/languages/condor-submit/source";

export type Statement =
  | NodeStatement
  | SpliceStatement
  | DescriptionStatement
  | IncludeStatement
  | NodeCommand
  | EdgesStatement
  | LimitStatement;

/** A description of a job: the file that has it, the name of one given before, or its text between braces. */
export type Described = { is: "named"; word: Word } | { is: "inline"; block: Place };

export interface NodeStatement {
  is: "node";
  kind: "job" | "final";
  name: Word;
  described: Described;
  directory?: Word;
  noop: boolean;
  done: boolean;
  place: Place;
}

/** A splice or an external sub-DAG: another file whose nodes come in under a prefix. */
export interface SpliceStatement {
  is: "splice";
  kind: "splice" | "subdag";
  name: Word;
  file: Word;
  directory?: Word;
  noop: boolean;
  done: boolean;
  place: Place;
}

export interface DescriptionStatement {
  is: "description";
  name: Word;
  block: Place;
  place: Place;
}

export interface IncludeStatement {
  is: "include";
  file: Word;
  place: Place;
}

export interface EdgesStatement {
  is: "edges";
  parents: Word[];
  children: Word[];
  place: Place;
}

export interface LimitStatement {
  is: "limit";
  category: Word;
  limit: number;
  place: Place;
}

export interface Variable extends Place {
  name: string;
  value: string;
}

/** Something about a node, or about all of them. */
export interface NodeCommand {
  is: "command";
  node: Word;
  command:
    | { is: "done" }
    | { is: "vars"; position?: "prepend" | "append"; variables: Variable[] }
    | { is: "retry"; times: number; unlessExit?: number }
    | { is: "script"; when: "pre" | "post"; command: string }
    | { is: "priority"; value: number }
    | { is: "category"; category: Word };
  place: Place;
}
