/** Faults that can be told before an expression meets a host: unknown functions, wrong numbers of arguments, patterns that cannot be used. */
import type { Problem } from "@/core/problem";
import { type CallExpr, type Expr, walk } from "./ast";
import { builtIn, builtInNames } from "./functions";
import { spanOf } from "./parse";
import { Pattern } from "./regex";

const patternFunctions = new Set([
  "regexp",
  "regexps",
  "regexpmember",
  "replace",
  "replaceall",
  "stringlist_regexpmember",
]);

/** Warnings, not errors: HTCondor evaluates all of these to ERROR and goes on. `text` is what `expr` was read from. */
export function checkExpression(expr: Expr, text: string): Problem[] {
  const problems: Problem[] = [];
  walk(expr, (node) => {
    if (node.kind !== "call") return;
    const fault = faultOf(node);
    if (!fault) return;
    const at = node.at ? { at: spanOf(text, node.at.start, node.at.end) } : {};
    problems.push({ severity: "warning", code: `expression/${fault.code}`, message: fault.message, ...at });
  });
  return problems;
}

function faultOf(call: CallExpr): { code: string; message: string } | undefined {
  const known = builtIn(call.name);
  if (!known) {
    const near = nearest(call.name);
    return {
      code: "unknown-function",
      message: `There is no function \`${call.name}\`${near ? `; is \`${near}\` meant?` : "."} The value will be ERROR.`,
    };
  }
  const count = call.arguments.length;
  if (count < known.minimum || count > known.maximum) {
    const most = Number.isFinite(known.maximum) ? ` to ${known.maximum}` : " or more";
    const range = known.minimum === known.maximum ? `${known.minimum}` : `${known.minimum}${most}`;
    return {
      code: "arguments",
      message: `\`${known.name}\` takes ${range} argument${range === "1" ? "" : "s"}, not ${count}. The value will be ERROR.`,
    };
  }
  const [first] = call.arguments;
  if (patternFunctions.has(call.name.toLowerCase()) && first?.kind === "literal" && typeof first.value === "string") {
    const pattern = Pattern.compile(first.value);
    if (typeof pattern === "string") return { code: "pattern", message: `${pattern} The value will be ERROR.` };
  }
  return undefined;
}

function nearest(name: string): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, "");
  const wanted = plain(name);
  return builtInNames().find((candidate) => {
    const known = plain(candidate);
    return known === wanted || (wanted.length > 3 && (known.startsWith(wanted) || wanted.startsWith(known)));
  });
}
