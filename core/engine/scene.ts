/**
 * Where the expressions of one bag are evaluated. Names are looked up in BOT, Job, Host and Queue, in that order (GB-3):
 * the bag's record is inside the job's, the host is the other side of the match, and all four have names of their own,
 * so that GridBot's `Host.ErrorRate`, Condor's `TARGET.Memory` and a plain `Memory` mean what their authors meant.
 */
import { Ad, type Compiled, matcher, type NamedScope, type Value } from "@/core/expressions";
import { Shape } from "@/core/expressions/ad";
import { computed, LiveAd, realOrInteger } from "./live-ad";
import type { TaskProfile } from "./plan";
import { type Policies, readPolicy } from "./policy";
import type { Clock, Random } from "./ports";

const botPlaces = { jobsLeft: 0, jobsDone: 1, tail: 2 } as const;
const nobody = new Ad(Shape.of([]), [], undefined);

export interface Replica {
  host: Ad;
  sentAt: number;
}

/** The one record of the whole queue. */
export function makeQueueAd(): LiveAd {
  return new LiveAd([["BOTsInQueue", 0]]);
}

export class Scene {
  private readonly bot: LiveAd;
  private readonly job: LiveAd;
  private readonly host: NamedScope = { name: "Host", ad: nobody };
  private readonly surroundings;

  constructor(
    private readonly owner: string,
    private readonly profile: TaskProfile,
    policies: Policies,
    queue: LiveAd,
    clock: Clock,
    random: Random,
  ) {
    const expr = (text: string | undefined) => computed(text === undefined ? undefined : readPolicy(text).expr);
    this.job = new LiveAd(this.jobEntries());
    this.bot = new LiveAd(
      [
        ["JobsLeft", 0],
        ["JobsDone", 0],
        ["Tail", false],
        ["Concurrency", expr(policies.concurrency)],
        ["Deadline", expr(policies.deadline)],
        ["Rank", expr(policies.rank)],
      ],
      this.job.ad,
    );
    this.surroundings = {
      now: () => Math.floor(clock.now() / 1000),
      random: () => random.next(),
      scopes: [
        { name: "BOT", ad: this.bot.ad },
        { name: "Job", ad: this.job.ad },
        this.host,
        { name: "Queue", ad: queue.ad },
      ],
    };
  }

  progress(jobsLeft: number, jobsDone: number, tail: boolean): void {
    this.bot.set(botPlaces.jobsLeft, jobsLeft);
    this.bot.set(botPlaces.jobsDone, jobsDone);
    this.bot.set(botPlaces.tail, tail);
  }

  /** Judges one host after the other. */
  judge(compiled: Compiled): (host: Ad) => Value {
    const judge = matcher(compiled, this.bot.ad, this.surroundings);
    return (host) => {
      this.host.ad = host;
      return judge(host);
    };
  }

  /** What an expression is worth for a task with these attempts under way (ReplicationRequirements). */
  judgeReplicas(compiled: Compiled, replicas: readonly Replica[]): Value {
    const job = new LiveAd([
      ...this.jobEntries(),
      ["NumberOfReplicas", replicas.length],
      ...replicas.map(({ host, sentAt }, index) => {
        const sent = ["SentTime", Math.floor(sentAt / 1000)] as const;
        return [`Replica${index + 1}`, new LiveAd([["Host", host], sent]).ad] as const;
      }),
    ]);
    const bot = this.bot.inside(job.ad);
    const scopes = this.surroundings.scopes.map((scope) => {
      if (scope.name === "Job") return { name: "Job", ad: job.ad };
      return scope.name === "BOT" ? { name: "BOT", ad: bot } : scope;
    });
    return matcher(compiled, bot, { ...this.surroundings, scopes })(replicas[0]?.host ?? nobody);
  }

  /** For explanations of one host. */
  contextOf(host: Ad) {
    const scopes = this.surroundings.scopes.map((scope) => (scope === this.host ? { name: "Host", ad: host } : scope));
    return { ...this.surroundings, scopes, my: this.bot.ad, target: host };
  }

  private jobEntries(): [string, Value][] {
    const { cores = 1, memoryBytes, diskBytes, wallSeconds, named = {}, category, priority = 0 } = this.profile;
    return [
      ["Owner", this.owner],
      ["RequestCpus", cores],
      ["RequestMemory", memoryBytes === undefined ? 0 : realOrInteger(Math.ceil(memoryBytes / 1024 ** 2))],
      ["RequestDisk", diskBytes === undefined ? 0 : realOrInteger(Math.ceil(diskBytes / 1024))],
      ["WallTime", wallSeconds],
      ["JobPrio", priority],
      ["Category", category],
      ...Object.entries(named).map(([name, count]): [string, Value] => [`Request${name}`, count]),
    ];
  }
}
