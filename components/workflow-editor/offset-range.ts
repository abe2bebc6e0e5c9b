/** From a problem's lines and columns to CodeMirror's offsets. The text may have changed since: everything is clamped. */
import type { Text } from "@codemirror/state";
import type { Span } from "@/core/problem";

export function offsetRange(doc: Text, span: Span): { from: number; to: number } {
  const from = offset(doc, span.line, span.column);
  const to = offset(doc, span.endLine, span.endColumn);
  return { from, to: Math.max(from, to) };
}

function offset(doc: Text, line: number, column: number): number {
  const { from, length } = doc.line(Math.min(Math.max(1, line), doc.lines));
  return from + Math.min(Math.max(0, column - 1), length);
}
