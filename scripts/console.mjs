/**
 * What set-up says to people: one line a step, on stderr, so that a program's own output on stdout stays clean.
 */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** A set-up step that failed: a sentence, with the end of what the failing program said. */
export class SetupProblem extends Error {}

/** Runs the whole of a script, and turns a failure into a sentence and a non-zero exit code. */
export async function script(body) {
  try {
    await body();
  } catch (error) {
    say(error instanceof SetupProblem ? error.message : (error?.stack ?? String(error)));
    process.exit(1);
  }
}
