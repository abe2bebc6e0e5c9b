import { describe, expect, it } from "vitest";
import type { Expr } from "../ast";
import { adFromData, compile, evaluate, parseExpression, printExpression, sameTree } from "../index";
import type { Parsed } from "../parse";
import { translateGridadlRequirement } from "./gridadl";
import { translateGridwayRank, translateGridwayRequirement } from "./gridway";
import { translateLdapFilter } from "./ldap";

const shown = (parsed: Parsed<Expr>) => {
  if (!parsed.ok) return `${parsed.problem.at?.column}: ${parsed.problem.message}`;
  const text = printExpression(parsed.value, "spaced");
  const again = parseExpression(text);
  expect(again.ok && sameTree(again.value, parsed.value)).toBe(true);
  return text;
};
const judged = (parsed: Parsed<Expr>, host: Record<string, unknown>) =>
  parsed.ok ? evaluate(compile(parsed.value), { target: adFromData(host) }) : parsed.problem.message;

describe("GridWay", () => {
  it.each([
    ['ARCH = "i686"', 'Arch =?= "i686"'],
    ['HOSTNAME = "*.es"', 'regexp("^.*\\\\.es\\\\z", Machine)'],
    ['HOSTNAME != "node?"', '!regexp("^node.\\\\z", Machine)'],
    ["CPU_MHZ > 1000 & FREE_MEM_MB > 512;", "CpuMHz > 1000 && FreeMemory > 512"],
    ['LRMS_TYPE = "pbs" | CPU_MHZ < 5 & MY_OWN = 1', '(LrmsType =?= "pbs" || CpuMHz < 5) && MY_OWN == 1'],
    ["!CPU_MHZ > 5 & NODECOUNT = 2", "!(CpuMHz > 5) && NodeCount == 2"],
    ["FREE_DISK_MB > 100", "Disk / 1024 > 100"],
    ["", "true"],
    [" ; ", "true"],
    ["ARCH", "5: `=`, `!=`, `<` or `>` was expected, but the expression ends."],
    ['ARCH > "a"', "8: A number was expected, but here is `a`."],
    ["A = 1 $", "7: `$` has no meaning in a GridWay expression."],
  ])("requirement %j becomes %s", (text, expected) => expect(shown(translateGridwayRequirement(text))).toBe(expected));
  it.each([
    ["CPU_MHZ * 2 + FREE_MEM_MB - 1", "CpuMHz * 2 + FreeMemory - 1"],
    ["-(CPU_MHZ + 1) / -2", "-(CpuMHz + 1) / -2"],
    ["", "0"],
    ["2 +", "4: A number or the name of an attribute was expected, but the expression ends."],
  ])("rank %j becomes %s", (text, expected) => expect(shown(translateGridwayRank(text))).toBe(expected));
  it("compares text as a shell pattern, letters told apart", () => {
    const requirement = translateGridwayRequirement('HOSTNAME = "n[0-3]*.lab"');
    expect(judged(requirement, { Machine: "n2x.lab" })).toBe(true);
    expect(judged(requirement, { Machine: "n5.lab" })).toBe(false);
    expect(judged(requirement, { Machine: "N2.lab" })).toBe(false);
  });
});

describe("LDAP filters", () => {
  it.each([
    ["(Mds-Memory-Ram-freeMB>=512)", "FreeMemory >= 512"],
    ["(&(Mds-Os-name=Linux)(!(Mds-Cpu-Total-count<=1)))", 'OpSys == "Linux" && !(Cpus <= 1)'],
    ["(|(a=1)(b=2.5))", "a == 1 || b == 2.5"],
    ["(Mds-Host-hn=*.ucm.es)", 'regexp("^.*\\\\.ucm\\\\.es\\\\z", Machine, "i")'],
    ["(my-attr=*)", "'my-attr' =!= undefined"],
    ["(n=a\\28b\\29)", 'n == "a(b)"'],
    ["(&)", "true"],
    ["Mds-Memory-Ram-freeMB>=512", "FreeMemory >= 512"],
    ["(a=1", "5: `)` was expected at the end of a filter."],
    ["(a)", "2: A comparison such as `(name>=value)` was expected."],
  ])("%s becomes %s", (text, expected) => expect(shown(translateLdapFilter(text))).toBe(expected));
});

describe("GRID-ADL requirements", () => {
  it.each([
    ["(SysOp == LINUX)", 'OpSys == "LINUX"'],
    ['((SysOp == "LINUX") && (Memory >= 64))', 'OpSys == "LINUX" && Memory >= 64'],
    ["((Arch != SUN4u) || (CPUs > 2)))", 'Arch != "SUN4u" || Cpus > 2'],
    ["((Memory > 1) && (CPUs == 2)", "Memory > 1 && Cpus == 2"],
    ["", "true"],
    ["(Memory > )", "11: A value was expected, but here is `)`."],
  ])("%s becomes %s", (text, expected) => expect(shown(translateGridadlRequirement(text))).toBe(expected));
});
