/**
 * An argument that looks like a file but is not declared (Fig. F.9's `1.txt`) will not be there when the task runs
 * elsewhere. Only a guess, so it is careful: a whole argument of the form `name.ext`, of a program run without
 * a shell, told once for each place in the text.
 */
import type { Piece } from "./application";
import type { BuildReports } from "./build-reports";
import type { TaskNumbering } from "./numbering";
import { taskSpec } from "./tasks";

const looksLikeFile = /^[\p{L}\p{N}_][\p{L}\p{N}_+-]*(?:\.[\p{L}\p{N}_+-]+)*\.\p{L}[\p{L}\p{N}]{0,7}$/u;
/** Things of that form that are no files: host names and module paths are longer, versions and numbers end in digits. */
const hostName = /\.(?:com|org|net|edu|gov|io|local|localhost)$/i;

export function warnOfUndeclaredFiles(numbering: TaskNumbering, reports: BuildReports): void {
  numbering.forEachGroup((group, first) => {
    if (group.task.shell || !group.task.arguments.some(mayNameFile)) return;
    // The first task speaks for its group; a loop of a million has one template.
    const { command, inputs, outputs } = taskSpec(group.task, numbering.bindings(first), first);
    if (command.is !== "exec") return;
    const declared = new Set([...inputs, ...outputs]);
    for (const argument of command.arguments) {
      if (!looksLikeFile.test(argument) || hostName.test(argument) || declared.has(argument)) continue;
      reports.undeclaredFile(argument, first);
    }
  });
}

/** Nearly no argument does: a look at the text before taking it apart. */
function mayNameFile(piece: Piece): boolean {
  return "variable" in piece || piece.text.includes(".");
}
