/** A task whose texts are to be taken as they are, for formats without loops and variables of their own. */
import type { Span } from "@/core/problem";
import type { TaskTemplate } from "@/core/workflow/application";
import { quoteWord } from "@/core/workflow/shell-words";
import { literal, literalFile } from "./literals";

export interface PlainTask {
  name: string;
  executable: string;
  arguments?: readonly string[];
  inputs?: readonly string[];
  outputs?: readonly string[];
  at: Span;
}

export function literalTask({
  name,
  executable,
  arguments: words = [],
  inputs = [],
  outputs = [],
  at,
}: PlainTask): TaskTemplate {
  return {
    name: literal(name),
    executable: literal(executable),
    shell: false,
    arguments: literal(words.map(quoteWord).join(" ")),
    inputs: inputs.map((file) => literalFile(file)),
    outputs: outputs.map((file) => literalFile(file)),
    weight: 1,
    done: false,
    at,
  };
}
