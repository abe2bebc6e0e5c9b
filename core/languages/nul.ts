/** NUL: no program, file or database can hold one in a text, so a workflow that has one is refused, with its place. */
export const nulMessage = "A NUL character has no place in a workflow.";

export function tellNul(text: string, tell: (message: string, place: { start: number; end: number }) => void): void {
  const at = text.indexOf("\0");
  if (at !== -1) tell(nulMessage, { start: at, end: at + 1 });
}
