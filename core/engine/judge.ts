/**
 * How one kind of task sees hosts: whether it may run there, which host it prefers, and (GridBot's Rank) how much a host
 * should prefer its bag. Verdicts about a host are kept until the host's facts change (or, for expressions that look at
 * what is kept about it, until an attempt begins or ends there), unless an expression looks at something that changes by
 * itself; so a decision costs the number of bags, not of tasks or evaluations.
 */
import { rankNumber } from "@/core/expressions";
import { isRestless, type Reading, watchesHost } from "./policy";
import type { Scene } from "./scene";
import type { Agent } from "./state";

/** The texts by which hosts are judged. */
export interface Terms {
  /** All of them must hold. */
  requirements: readonly Reading[];
  /** Orders hosts; the preference of GR-7, by the bag's weights, if there is none. */
  hostRank?: Reading;
  /** Orders bags, and hosts if there is no other rank. */
  bagRank?: Reading;
}

/** The parts of a verdict after the version it is about. */
const rankOfHost = 1;
const rankOfBag = 2;

export class Judge {
  /** It looks at something that changes without the host changing: nothing is kept. */
  readonly restless: boolean;
  private readonly watchesHost: boolean;
  private readonly tests: ((agent: Agent) => boolean)[];
  /** None where hosts are preferred by GR-7, whose scale changes with every host that comes or goes. */
  private readonly rankHost: ((agent: Agent) => number) | undefined;
  private readonly rankBag: ((agent: Agent) => number) | undefined;
  /** By the agent's index: the version judged, its rank as a host (NaN: refused), and that of the bag for it. */
  private verdicts = new Float64Array(0);

  constructor(
    readonly terms: Terms,
    scene: Scene,
    private readonly preferenceOf: (agent: Agent) => number,
  ) {
    const { requirements, hostRank, bagRank } = terms;
    this.tests = requirements.map((reading) => {
      if (!reading.compiled) return () => false;
      const judge = scene.judge(reading.compiled);
      return (agent) => judge(agent.ad.ad) === true;
    });
    const ranker = (reading: Reading | undefined) => {
      if (!reading?.compiled) return undefined;
      const judge = scene.judge(reading.compiled);
      return (agent: Agent) => rankNumber(judge(agent.ad.ad));
    };
    this.rankBag = ranker(bagRank);
    this.rankHost = ranker(hostRank) ?? this.rankBag;
    const readings = [...requirements, hostRank, bagRank];
    this.restless = readings.some((reading) => reading && isRestless(reading));
    this.watchesHost = readings.some((reading) => reading && watchesHost(reading));
  }

  matches(agent: Agent): boolean {
    if (this.restless) return this.test(agent);
    return !Number.isNaN(this.kept(agent, rankOfHost));
  }

  /** Of the agent's host, among hosts that match. */
  hostRank(agent: Agent): number {
    if (!this.rankHost) return this.preferenceOf(agent);
    return this.restless ? this.rankHost(agent) : this.kept(agent, rankOfHost);
  }

  /** Of this bag, among bags that match the agent's host. */
  bagRank(agent: Agent): number {
    if (!this.rankBag) return 0;
    return this.restless ? this.rankBag(agent) : this.kept(agent, rankOfBag);
  }

  private test(agent: Agent): boolean {
    return this.tests.every((test) => test(agent));
  }

  /** A part of the verdict about it, which is found first if there is none of today. */
  private kept(agent: Agent, part: typeof rankOfHost | typeof rankOfBag): number {
    const place = agent.index * 3;
    const version = this.watchesHost ? agent.keptVersion : agent.version;
    if (place >= this.verdicts.length) this.grow(place + 3);
    if (this.verdicts[place] !== version) {
      const matches = this.test(agent);
      this.verdicts[place] = version;
      this.verdicts[place + rankOfHost] = matches ? (this.rankHost?.(agent) ?? 0) : Number.NaN;
      this.verdicts[place + rankOfBag] = matches && this.rankBag ? this.rankBag(agent) : 0;
    }
    return this.verdicts[place + part]!;
  }

  private grow(size: number): void {
    const grown = new Float64Array(Math.max(48, Math.ceil(size * 1.5)));
    grown.set(this.verdicts);
    this.verdicts = grown;
  }
}
