/** What the fuzz tests of expressions and of the languages that are translated into them start from. */
import { expect } from "vitest";
import type { Fuzzed } from "@/core/fuzz-for-tests";
import type { Problem } from "@/core/problem";
import {
  checkExpression,
  compile,
  evaluate,
  explainRank,
  explainRequirement,
  parseExpression,
  printExpression,
  readAds,
  sameTree,
  translateGridadlRequirement,
  translateGridwayRank,
  translateGridwayRequirement,
  translateLdapFilter,
  unparse,
} from "./index";
import type { Parsed } from "./parse";

const texts = [
  'TARGET.Arch == "X86_64" && TARGET.Memory >= MY.RequestMemory * 1.5e3 || regexp("^n[0-9]+(a|b)*$", Name, "i")',
  '[a = {1, [b = a; c = "x\\"\\101\\n"], undefined}; \'q r\' = .a[0] ?: 5 % -3 << 2 >>> 1].a[1].c',
  'ifThenElse(isUndefined(x), sum({1,2.5}), strcat("a", 0x1F, 010)) =?= error isnt true // end',
  'replaceAll("(a+)+", strcat("aaaa", "b"), "\\\\1", "fg") /* c */ != join(",", split("a b c")) ? ~1 : !2 ^ 3 | 4 & 5',
  'eval("1 + eval(\\"2\\")") + countMatches(a > 1, {[a=1],[a=2]}) - absTime("2020-01-02T03:04:05+01:00")',
  "a.b.c[d][e](f)",
];
const fragments = [
  ...[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    '"',
    "'",
    "\\",
    "?",
    ":",
    "?:",
    "&&",
    "||",
    "=?=",
    "is",
    ".",
    ",",
    ";",
    "=",
    "-",
    "!",
  ],
  ...["1e999", "9223372036854775808", "0x", "0", "\0", "\n", "é", "/*", "//", "*", "TARGET.", "eval(", "a=a;", "'a b'"],
  ...["((((((((", "{{{{{{", "[a=[a=[a=", "!!!!!!", "x ?: ", "regexp(", '"(a*)*b"', "strcat(", "unparse(a)"],
];

const problemsOf = (parsed: { ok: true } | { ok: false; problem: Problem }): Problem[] =>
  parsed.ok ? [] : [parsed.problem];

/** What is read is also printed and read again, checked, evaluated and explained. */
function use(parsed: Parsed<Parameters<typeof compile>[0]>, text: string): Problem[] {
  if (!parsed.ok) return [parsed.problem];
  const again = parseExpression(printExpression(parsed.value));
  expect(again.ok && sameTree(again.value, parsed.value)).toBe(true);
  unparse(evaluate(compile(parsed.value), { now: () => 0, random: () => 0.5 }));
  explainRequirement(parsed.value, {});
  explainRank(parsed.value, {});
  return checkExpression(parsed.value, text);
}

export const languages: readonly Fuzzed[] = [
  { name: "ClassAd expressions", texts, fragments, read: (text) => use(parseExpression(text), text) },
  {
    name: "expressions in GridBot's dialect",
    texts: [...texts, "!Tail? True: regexp(Host.Name, /*myhost*/) && Host.ErrorRate<0.1"],
    fragments,
    read: (text) => problemsOf(parseExpression(text, { dialect: "gridbot" })),
  },
  {
    name: "files of hosts",
    texts: [
      '[a=1;b="x"] [a=2]',
      "{ [a=1], [b={1,2}] }",
      'Machine = "a"\nMemory = 12\n\nMachine = "b\\"c"\nRank = Memory * 2',
      '[{"Machine":"a","Memory":1.5,"L":[1,null]},{"R":"/Expr(a + 1)/"}]',
    ],
    fragments,
    read: (text) => problemsOf(readAds(text)),
  },
  {
    name: "GridWay requirements",
    texts: ['ARCH = "i686" & CPU_MHZ > 1000 | !(HOSTNAME = "*.es")', '!LRMS_TYPE = "pbs*" & FREE_MEM_MB > 5;'],
    fragments: [
      "ARCH",
      "HOSTNAME",
      "=",
      "!=",
      "<",
      ">",
      "&",
      "|",
      "!",
      "(",
      ")",
      '"',
      "*",
      "[",
      "\\",
      "1",
      "-",
      ";",
      "\n",
      "\0",
      "é",
    ],
    read: (text) => problemsOf(translateGridwayRequirement(text)),
  },
  {
    name: "GridWay ranks",
    texts: ["CPU_MHZ * 2 + (FREE_MEM_MB - 3) / -4"],
    fragments: ["CPU_MHZ", "+", "-", "*", "/", "(", ")", "1", "1.5", "1e999", '"', ";", "\n", "\0", "é"],
    read: (text) => problemsOf(translateGridwayRank(text)),
  },
  {
    name: "LDAP filters",
    texts: ["(&(Mds-Memory-Ram-freeMB>=512)(|(a=b*c)(!(d<=1.5)))(e=\\28x\\29)(f=*))"],
    fragments: [
      "(",
      ")",
      "&",
      "|",
      "!",
      "=",
      "~=",
      ">=",
      "<=",
      "*",
      "\\",
      "\\2",
      "\\28",
      ":",
      "a",
      "1",
      "\n",
      "\0",
      "é",
      "((((",
      "(!(!",
    ],
    read: (text) => problemsOf(translateLdapFilter(text)),
  },
  {
    name: "GRID-ADL requirements",
    texts: ["((SysOp == LINUX) && (Memory >= 64) || (CPUs > 1)) && (Arch != INTEL))"],
    fragments: [...fragments, "SysOp", "LINUX", "==", "!="],
    read: (text) => problemsOf(translateGridadlRequirement(text)),
  },
];
