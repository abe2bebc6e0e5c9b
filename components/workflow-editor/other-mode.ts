/**
 * Colours for the formats that are not GRID-ADL: DAGMan and its submit files, job templates, JSON. One mode for all of
 * them, since they share what the eye needs: comments, keys, strings, macros, numbers.
 */
import { StreamLanguage } from "@codemirror/language";

const dagCommands =
  /^(?:JOB|DATA|FINAL|SPLICE|SUBDAG|EXTERNAL|PARENT|CHILD|INCLUDE|SUBMIT-DESCRIPTION|VARS|RETRY|SCRIPT|PRE|POST|HOLD|DIR|NOOP|DONE|UNLESS-EXIT|PRIORITY|CATEGORY|MAXJOBS|CONFIG|DOT|ABORT-DAG-ON|ALL_NODES|queue)(?=\s|$)/;

export const otherFormat = StreamLanguage.define({
  name: "described",
  token(stream) {
    const starts = stream.sol();
    if (stream.eatSpace() && !starts) return null;
    if (starts && stream.match(/^\s*#.*/)) return "comment";
    if (stream.match(/^"(?:[^"\\\n]|\\.)*"(?=\s*:)/)) return "attributeName";
    if (stream.match(/^"(?:[^"\\\n]|\\.)*"?/)) return "string";
    if (stream.match(/^\$\$?(?:\([^)\n]*\)?|\{[^}\n]*\}?)/)) return "variableName";
    if (stream.match(/^[+\w.-]+(?=\s*=)/)) return "attributeName";
    if (stream.match(dagCommands)) return "keyword";
    if (stream.match(/^-?\d+(?:\.\d+)?(?=[\s,;)\]}]|$)/)) return "number";
    if (stream.match(/^[{}()[\],:=]/)) return "punctuation";
    if (stream.match(/^[^\s"${}()[\],:=]+/)) return null;
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "#" } },
});
