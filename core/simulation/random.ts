/** Randomness from a seed: the same seed gives the same numbers everywhere, so a failing simulation can be replayed. */
import type { Random } from "@/core/engine/ports";

export class SeededRandom implements Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A Weyl sequence (odd step, so every 32-bit state is visited once) stirred by two multiplications. */
  next(): number {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let bits = this.state;
    bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return ((bits ^ (bits >>> 15)) >>> 0) / 0x1_0000_0000;
  }

  /** An integer in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** An integer in [low, high]. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }
}
