/**
 * Which hosts a requirement lets in, in the order of a rank, and for each of the others what keeps it out: for the form
 * that shows it while one types. The same expressions in the same scopes as the engine's (scene.ts), over hosts as
 * somebody was told of them.
 */
import { type Ad, type Clause, explainRank, explainRequirement, type RankTerm, rankNumber } from "@/core/expressions";
import { hostAd, noteBusy } from "./host-ad";
import type { JoiningAgent } from "./plan";
import { readPolicy } from "./policy";
import { makeQueueAd, Scene } from "./scene";

export interface HostToMatch extends Pick<JoiningAgent, "host" | "cluster" | "slots" | "facts" | "memoryBytes"> {
  id: string;
  /** Cores that have nothing to do. */
  free: number;
}

export interface MatchedHost {
  host: HostToMatch;
  rank: number;
  /** What the rank is made of, if there is one. */
  terms: RankTerm[];
}

export interface RefusedHost {
  host: HostToMatch;
  /** `Memory >= 512 — here 256`, each clause that keeps it out. */
  failing: string[];
}

export interface HostMatches {
  matching: MatchedHost[];
  refused: RefusedHost[];
  freeSlots: number;
}

export interface MatchTerms {
  /** All of them must hold; one that is empty or cannot be read is left out. */
  requirements: readonly string[];
  rank: string;
}

/** The terms of a rank are told for the first of them; nobody reads a thousand. */
const explainedRanks = 50;

/** Keeps what can be kept between two letters that somebody types. */
export class HostMatcher {
  private readonly hosts: { host: HostToMatch; ad: Ad }[];

  constructor(hosts: readonly HostToMatch[]) {
    this.hosts = hosts.map((host) => ({ host, ad: noteBusy(hostAd(host), host.slots - host.free, host.free).ad }));
  }

  match({ requirements, rank }: MatchTerms, now: () => number): HostMatches {
    const scene = new Scene("", {}, {}, makeQueueAd(), { now }, { next: () => 0.5 });
    const compiled = (text: string) => (text.trim() === "" ? undefined : readPolicy(text).compiled);
    const tests = requirements.flatMap((text) => compiled(text) ?? []);
    const judges = tests.map((test) => scene.judge(test));
    const ranking = compiled(rank);
    const rankOf = ranking && scene.judge(ranking);
    const matching: MatchedHost[] = [];
    const refused: RefusedHost[] = [];
    for (const { host, ad } of this.hosts) {
      const failed = tests.filter((_, index) => judges[index]!(ad) !== true);
      if (failed.length === 0) {
        matching.push({ host, rank: rankOf ? rankNumber(rankOf(ad)) : 0, terms: [] });
        continue;
      }
      const context = scene.contextOf(ad);
      const failing = failed.flatMap(({ expr }) => explainRequirement(expr, context).failing.map(shortly));
      refused.push({ host, failing });
    }
    matching.sort((a, b) => b.rank - a.rank || b.host.free - a.host.free || compare(a.host.host, b.host.host));
    if (ranking) {
      const adOf = new Map(this.hosts.map(({ host, ad }) => [host, ad]));
      for (const one of matching.slice(0, explainedRanks)) {
        one.terms = explainRank(ranking.expr, scene.contextOf(adOf.get(one.host)!)).terms;
      }
    }
    return { matching, refused, freeSlots: matching.reduce((sum, { host }) => sum + host.free, 0) };
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The clause and what the host has instead. */
function shortly({ text, facts, valueText }: Clause): string {
  const [only, ...others] = facts;
  if (!only) return `${text} — is ${valueText}`;
  const here =
    others.length === 0
      ? shown(only.valueText)
      : facts.map((fact) => `${fact.name} ${shown(fact.valueText)}`).join(", ");
  return `${text} — here ${here}`;
}

function shown(valueText: string): string {
  return valueText === "undefined" ? "not known" : valueText;
}
