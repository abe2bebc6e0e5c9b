/**
 * `gridloom match`: which hosts of a file satisfy a requirement, best rank first.
 *   match 'EXPR' --hosts FILE [--rank 'EXPR'] [--my FILE] [--explain] [--json]
 * A host whose own `Requirements` refuses the job does not match either, as in HTCondor, when a job is given with --my.
 */
import {
  type Ad,
  type Compiled,
  compile,
  type EvaluationContext,
  evaluate,
  explainRank,
  explainRequirement,
  failureText,
  parseExpression,
  type RankTerm,
  rankNumber,
  readAd,
  readAds,
  unparse,
} from "@/core/expressions";
import { formatProblem } from "@/core/problem";
import type { CommandIo } from "./io";
import { readParsed } from "./read-text";

type MatchIo = Pick<CommandIo, "readFile" | "stdout" | "stderr">;

const usage = "usage: gridloom match 'EXPR' --hosts FILE [--rank 'EXPR'] [--my FILE] [--explain] [--json]\n";

interface Options {
  requirement: string;
  hosts: string;
  rank: string | undefined;
  my: string | undefined;
  explain: boolean;
  json: boolean;
}

function readOptions(argv: readonly string[]): Options | string {
  const values = new Map<string, string>();
  const flags = new Set<string>();
  let requirement: string | undefined;
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === "--hosts" || word === "--rank" || word === "--my") {
      const value = argv[++i];
      if (value === undefined) return `${word} needs a value.`;
      values.set(word, value);
    } else if (word === "--explain" || word === "--json") flags.add(word);
    else if (/^--[a-z]/.test(word)) return `There is no option ${word}.`;
    else if (requirement !== undefined) return "Only one requirement can be given; quote it if it contains blanks.";
    else requirement = word;
  }
  const hosts = values.get("--hosts");
  if (requirement === undefined) return "A requirement is needed.";
  if (hosts === undefined) return "The hosts to match are needed: --hosts FILE.";
  return {
    requirement,
    hosts,
    rank: values.get("--rank"),
    my: values.get("--my"),
    explain: flags.has("--explain"),
    json: flags.has("--json"),
  };
}

interface Judged {
  name: string;
  matches: boolean;
  rank: number;
  rankText: string;
  failing: string[];
  terms: RankTerm[];
}

export async function runMatch(argv: readonly string[], io: MatchIo): Promise<number> {
  const options = readOptions(argv);
  if (typeof options === "string") {
    io.stderr(`${options}\n${usage}`);
    return 2;
  }
  // An empty requirement asks for nothing, as in GridWay.
  const requirement = compiled(options.requirement.trim() === "" ? "true" : options.requirement, "requirement", io);
  const rank = compiled(options.rank?.trim() ? options.rank : "0", "rank", io);
  const hosts = await readParsed(options.hosts, io, readAds);
  const job = options.my === undefined ? undefined : await readParsed(options.my, io, readAd);
  if (!requirement || !rank || !hosts || (options.my !== undefined && !job)) return 1;

  const my = job?.ad;
  const judged = hosts.ads.map((ad, i) => judge(ad, i, { requirement, rank, my }));
  const matching = judged.filter((host) => host.matches).sort((a, b) => b.rank - a.rank);
  const refused = judged.filter((host) => !host.matches);
  if (options.json) {
    io.stdout(`${JSON.stringify({ matching: matching.map(asJson), refused: refused.map(asJson) }, null, 2)}\n`);
    return 0;
  }
  for (const host of matching) {
    io.stdout(`${host.name}\t${host.rankText}\n`);
    if (options.explain && options.rank) for (const term of host.terms) io.stdout(`  ${termText(term)}\n`);
  }
  if (options.explain) {
    for (const host of refused) {
      io.stdout(`${host.name}\tno match\n`);
      for (const reason of host.failing) io.stdout(`  ${reason}\n`);
    }
  }
  io.stdout(`${matching.length} of ${judged.length} hosts match.\n`);
  return 0;
}

function compiled(text: string, what: string, io: MatchIo): Compiled | undefined {
  const parsed = parseExpression(text);
  if (parsed.ok) return compile(parsed.value);
  io.stderr(`${formatProblem(parsed.problem, what)}\n`);
  return undefined;
}

const hostNames = ["Machine", "Name", "HOSTNAME", "Host"].map((name) => compileName(name));
function compileName(name: string): Compiled {
  return compile({ kind: "reference", name });
}

function nameOf(ad: Ad, index: number): string {
  for (const name of hostNames) {
    const value = evaluate(name, { my: ad });
    if (typeof value === "string" && value !== "") return value;
  }
  return `host ${index + 1}`;
}

const hostRequirements = compileName("Requirements");

function judge(ad: Ad, index: number, job: { requirement: Compiled; rank: Compiled; my: Ad | undefined }): Judged {
  const context: EvaluationContext = { target: ad, now: () => Date.now() / 1000, random: Math.random };
  if (job.my) context.my = job.my;
  const explained = explainRequirement(job.requirement.expr, context);
  const failing = explained.failing.map(failureText);
  let matches = explained.matches;
  if (job.my && ad.has("requirements")) {
    const accepted = explainRequirement(hostRequirements.expr, { ...context, my: ad, target: job.my });
    if (!accepted.matches) {
      matches = false;
      failing.push(...accepted.failing.map((clause) => `refused by the host: ${failureText(clause)}`));
    }
  }
  const rank = evaluate(job.rank, context);
  return {
    name: nameOf(ad, index),
    matches,
    rank: rankNumber(rank),
    rankText: unparse(rank) ?? "error",
    failing,
    terms: explainRank(job.rank.expr, context).terms,
  };
}

const termText = (term: RankTerm): string =>
  `${term.contribution < 0 ? "" : "+"}${term.contribution}\t${term.text} is ${term.valueText}`;

const asJson = ({ name, rank, failing, terms }: Judged) => ({
  name,
  rank,
  failing,
  terms: terms.map(({ text, valueText, contribution }) => ({ text, value: valueText, contribution })),
});
