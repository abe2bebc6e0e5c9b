import { describe, expect, it } from "vitest";
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

// `npm run test:full` asks for 100,000 mutations of each kind.
const runs = Number(process.env.GRIDLOOM_FUZZ_RUNS ?? 4000);

/** A generator from a seed: a failing input can be made again. */
function chance(seed: number) {
  let state = seed >>> 0;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const seeds = [
  'TARGET.Arch == "X86_64" && TARGET.Memory >= MY.RequestMemory * 1.5e3 || regexp("^n[0-9]+(a|b)*$", Name, "i")',
  '[a = {1, [b = a; c = "x\\"\\101\\n"], undefined}; \'q r\' = .a[0] ?: 5 % -3 << 2 >>> 1].a[1].c',
  'ifThenElse(isUndefined(x), sum({1,2.5}), strcat("a", 0x1F, 010)) =?= error isnt true // end',
  'replaceAll("(a+)+", strcat("aaaa", "b"), "\\\\1", "fg") /* c */ != join(",", split("a b c")) ? ~1 : !2 ^ 3 | 4 & 5',
  'eval("1 + eval(\\"2\\")") + countMatches(a > 1, {[a=1],[a=2]}) - absTime("2020-01-02T03:04:05+01:00")',
  "a.b.c[d][e](f)",
];
const fragments = [
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
  "1e999",
  "9223372036854775808",
  "0x",
  "\0",
  "\n",
  "é",
  "/*",
  "//",
  "TARGET.",
  "eval(",
  "a=a;",
  "((((((((",
  "{{{{{{",
  "[a=[a=[a=",
  "!!!!!!",
  "0",
  "'a b'",
];

function mutated(text: string, random: (below: number) => number): string {
  let result = text;
  for (let i = random(4) + 1; i > 0; i--) {
    const at = random(result.length + 1);
    const to = Math.min(result.length, at + random(8));
    switch (random(5)) {
      case 0:
        result = result.slice(0, at) + result.slice(to);
        break;
      case 1:
        result = result.slice(0, at) + fragments[random(fragments.length)] + result.slice(at);
        break;
      case 2:
        result = result.slice(0, at) + String.fromCharCode(random(200)) + result.slice(to);
        break;
      case 3:
        result = result.slice(0, at) + result.slice(at, to).repeat(random(6) + 1) + result.slice(to);
        break;
      default: {
        const other = seeds[random(seeds.length)] ?? "";
        const from = random(other.length);
        result = result.slice(0, at) + other.slice(from, from + random(20)) + result.slice(at);
      }
    }
  }
  return result;
}

/** Each input must be answered within a second, with a value or with a problem that has a place. */
function fuzz(
  inputs: readonly string[],
  seed: number,
  answer: (text: string) => { ok: true } | { ok: false; problem: { at?: unknown } },
) {
  const random = chance(seed);
  for (let i = 0; i < runs; i++) {
    const text = mutated(inputs[random(inputs.length)] ?? "", random);
    const start = performance.now();
    let result: ReturnType<typeof answer>;
    try {
      result = answer(text);
    } catch (error) {
      throw new Error(`${JSON.stringify(text)} crashed: ${String(error)}`);
    }
    if (!result.ok && !result.problem.at) throw new Error(`${JSON.stringify(text)}: an error without a place`);
    if (performance.now() - start > 1000) throw new Error(`${JSON.stringify(text)} took longer than a second`);
  }
}

describe("mutated inputs", { timeout: 20_000 + runs * 5 }, () => {
  it("expressions are parsed, printed, checked, evaluated and explained, or refused with a place", () => {
    fuzz(seeds, 1, (text) => {
      const parsed = parseExpression(text);
      if (!parsed.ok) return parsed;
      const again = parseExpression(printExpression(parsed.value));
      expect(again.ok && sameTree(again.value, parsed.value)).toBe(true);
      checkExpression(parsed.value, text);
      unparse(evaluate(compile(parsed.value), { now: () => 0, random: () => 0.5 }));
      explainRequirement(parsed.value, {});
      explainRank(parsed.value, {});
      return parsed;
    });
  });
  it("the GridBot dialect", () => {
    fuzz([...seeds, "!Tail? True: regexp(Host.Name, /*myhost*/) && Host.ErrorRate<0.1"], 2, (text) =>
      parseExpression(text, { dialect: "gridbot" }),
    );
  });
  it("files of hosts", () => {
    fuzz(
      [
        '[a=1;b="x"] [a=2]',
        "{ [a=1], [b={1,2}] }",
        'Machine = "a"\nMemory = 12\n\nMachine = "b\\"c"\nRank = Memory * 2',
        '[{"Machine":"a","Memory":1.5,"L":[1,null]},{"R":"/Expr(a + 1)/"}]',
      ],
      3,
      readAds,
    );
  });
  it("requirements in other languages", () => {
    fuzz(
      ['ARCH = "i686" & CPU_MHZ > 1000 | !(HOSTNAME = "*.es")', '!LRMS_TYPE = "pbs*" & FREE_MEM_MB > 5;'],
      4,
      translateGridwayRequirement,
    );
    fuzz(["CPU_MHZ * 2 + (FREE_MEM_MB - 3) / -4"], 5, translateGridwayRank);
    fuzz(["(&(Mds-Memory-Ram-freeMB>=512)(|(a=b*c)(!(d<=1.5)))(e=\\28x\\29)(f=*))"], 6, translateLdapFilter);
    fuzz(["((SysOp == LINUX) && (Memory >= 64) || (CPUs > 1)) && (Arch != INTEL))"], 7, translateGridadlRequirement);
  });
});
