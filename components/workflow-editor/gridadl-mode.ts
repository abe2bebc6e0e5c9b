/**
 * Colours for GRID-ADL as one types. Only what the eye needs (keywords, options, strings, variables, comments):
 * what is right or wrong is told by the real parser, through the problem marks.
 */
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

/** Whole words only: `in` is one, the start of `in${N}.dat` is not. */
const keywords =
  /^(?:graph|task|foreach|for|in|do|done|transient|if|then|else|fi|while|requirements?|parent|child|final)(?=[\s{;]|$)/;
const kinds = /^(?:independent|loosely-coupled|tightly-coupled|phases|pipeline)(?=\s|$)/;

export const gridAdl = StreamLanguage.define({
  name: "gridadl",
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    if (stream.match(/^"(?:[^"\\\n]|\\.)*"?/)) return "string";
    if (stream.match(/^\$\{[^}\n]*\}?/)) return "variableName";
    if (stream.match(/^-[eaiocrqwjs](?=\s|$)/)) return "attributeName";
    if (stream.match(keywords)) return "keyword";
    if (stream.match(kinds)) return "typeName";
    if (stream.match(/^\d+(?:\.\d+)?(?=[\s;)}]|\.\.|$)/)) return "number";
    if (stream.match(/^(?:\.\.|[{}();=+])/)) return "punctuation";
    if (stream.match(/^[^\s"${}();=+]+/)) return null;
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "#" } },
});

export const gridAdlColours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.keyword, color: "var(--ink)", fontWeight: "650" },
    { tag: tags.typeName, color: "var(--code-kind)" },
    { tag: tags.attributeName, color: "var(--code-option)" },
    { tag: tags.string, color: "var(--code-string)" },
    { tag: tags.variableName, color: "var(--thread)" },
    { tag: tags.number, color: "var(--code-number)" },
    { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
    { tag: tags.punctuation, color: "var(--muted)" },
  ]),
);
