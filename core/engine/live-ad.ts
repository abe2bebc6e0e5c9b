/**
 * Records of things that change while expressions look at them: a host and what is kept about it, a bag and how far it
 * is. Expressions see an ordinary ad; we set its values in place, by the place of the name.
 */

import { Ad, Computation, Shape } from "@/core/expressions/ad";
import { fromData } from "@/core/expressions/ads";
import type { Expr } from "@/core/expressions/ast";
import type { Value } from "@/core/expressions/value";
import { Real } from "@/core/expressions/value";

export type Fact = string | number | boolean | readonly string[];
export type Facts = Readonly<Record<string, Fact>>;

export class LiveAd {
  readonly ad: Ad;
  private readonly slots: (Value | Computation)[];

  /** Later names win over earlier ones that differ only in case. */
  constructor(entries: Iterable<readonly [name: string, value: Value | Computation]>, parent?: Ad) {
    const places = new Map<string, number>();
    const names: string[] = [];
    this.slots = [];
    for (const [name, value] of entries) {
      const place = places.get(name.toLowerCase()) ?? names.length;
      places.set(name.toLowerCase(), place);
      names[place] = name;
      this.slots[place] = value;
    }
    this.ad = new Ad(Shape.of(names), this.slots, parent);
  }

  /** The same values, in a record inside another. */
  inside(parent: Ad): Ad {
    return new Ad(this.ad.shape, this.slots, parent);
  }

  set(place: number, value: Value): void {
    this.slots[place] = value;
  }

  get(place: number): Value | Computation {
    return this.slots[place];
  }
}

export function factEntries(facts: Facts): [string, Value | Computation][] {
  return Object.entries(facts).map(([name, fact]) => [name, valueOfFact(fact)]);
}

function valueOfFact(fact: Fact): Value | Computation {
  if (typeof fact === "string" || typeof fact === "boolean") return fact;
  if (typeof fact === "number") return realOrInteger(fact);
  const list = fromData(fact, 0);
  return list ? new Computation(list) : undefined;
}

export function realOrInteger(number: number): Value {
  return Number.isSafeInteger(number) ? number : new Real(number);
}

export function computed(expr: Expr | undefined): Value | Computation {
  return expr ? new Computation(expr) : undefined;
}
