/**
 * Free agents in the order in which one kind of task prefers their hosts: the best is found without looking at all of
 * them. An agent that was taken meanwhile is dropped when it comes up, and put back by whoever frees it. Among equals the
 * one that has been free longest goes first, which spreads the work. An agent that was given something since it was put
 * here stands too far in front; it is put where it belongs when it comes up.
 */
import type { Agent } from "./state";

export class HostHeap {
  private readonly agents: Agent[] = [];
  private readonly ranks: number[] = [];
  private readonly stamps: number[] = [];

  constructor(private readonly rankOf: (agent: Agent) => number) {}

  get size(): number {
    return this.agents.length;
  }

  push(agent: Agent, rank: number): void {
    let place = this.agents.length;
    this.agents.push(agent);
    this.ranks.push(rank);
    this.stamps.push(agent.freeStamp);
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!this.before(place, above)) break;
      this.swap(place, above);
      place = above;
    }
  }

  /** The first agent for which this holds; those before it are dropped. */
  best(holds: (agent: Agent) => boolean): Agent | undefined {
    for (;;) {
      const first = this.agents[0];
      if (!first) return undefined;
      if (!holds(first)) this.pop();
      else if (this.stamps[0] === first.freeStamp) return first;
      else {
        this.pop();
        this.push(first, this.rankOf(first));
      }
    }
  }

  private pop(): void {
    const last = this.agents.length - 1;
    this.swap(0, last);
    this.agents.pop();
    this.ranks.pop();
    this.stamps.pop();
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      if (left >= last) return;
      const right = left + 1;
      const below = right < last && this.before(right, left) ? right : left;
      if (!this.before(below, place)) return;
      this.swap(below, place);
      place = below;
    }
  }

  private before(a: number, b: number): boolean {
    const difference = this.ranks[a]! - this.ranks[b]!;
    return difference > 0 || (difference === 0 && this.stamps[a]! < this.stamps[b]!);
  }

  private swap(a: number, b: number): void {
    const agent = this.agents[a]!;
    this.agents[a] = this.agents[b]!;
    this.agents[b] = agent;
    const rank = this.ranks[a]!;
    this.ranks[a] = this.ranks[b]!;
    this.ranks[b] = rank;
    const stamp = this.stamps[a]!;
    this.stamps[a] = this.stamps[b]!;
    this.stamps[b] = stamp;
  }
}
