/**
 * Records ("ads"). Hosts of one kind have the same attributes in the same order, so the names are kept once, in a
 * shape they share, and each host holds only its values: little memory, and code that has found an attribute in one
 * host finds it in the next without looking it up.
 */
import { type Expr, errorLiteral, literal } from "./ast";
import { ErrorValue, Real } from "./scalars";
import type { Code, Value } from "./value";

/** An attribute whose value must be computed: anything but a literal. */
export class Computation {
  /** Compiled when first used. */
  code: Code | undefined;
  /** Set while it is being evaluated: meeting it again is a reference to itself, which is UNDEFINED. */
  busy = false;
  constructor(readonly expr: Expr) {}
}

/** How many shapes are remembered for sharing; beyond that they are forgotten, which costs only speed. */
const maximumShapes = 2000;

export class Shape {
  private static readonly known = new Map<string, Shape>();
  /** Place of each attribute by its name in lower case. */
  readonly places: ReadonlyMap<string, number>;

  private constructor(readonly names: readonly string[]) {
    this.places = new Map(names.map((name, place) => [name.toLowerCase(), place]));
  }

  /** The shape of these names, which must differ in more than case. */
  static of(names: readonly string[]): Shape {
    const key = names.join("\0");
    let shape = Shape.known.get(key);
    if (!shape) {
      if (Shape.known.size >= maximumShapes) Shape.known.clear();
      shape = new Shape(names);
      Shape.known.set(key, shape);
    }
    return shape;
  }
}

export class Ad {
  constructor(
    readonly shape: Shape,
    /** A value or a computation for each name of the shape. */
    readonly slots: readonly (Value | Computation)[],
    /** The record it is written inside of. */
    readonly parent: Ad | undefined,
  ) {}

  get size(): number {
    return this.slots.length;
  }
  /** The place of an attribute, by its name in lower case; -1 if there is none. */
  placeOf(key: string): number {
    return this.shape.places.get(key) ?? -1;
  }
  has(key: string): boolean {
    return this.shape.places.has(key);
  }
  nameAt(place: number): string {
    return this.shape.names[place] ?? "";
  }
  /** The expression an attribute was defined with. */
  exprAt(place: number): Expr {
    const slot = this.slots[place];
    if (slot instanceof Computation) return slot.expr;
    const isLiteral = typeof slot !== "object" || slot instanceof Real;
    return literal(isLiteral ? slot : slot instanceof ErrorValue ? errorLiteral : undefined);
  }
}

/** Finds one attribute in record after record, remembering where it was in the last shape seen. */
export class Finder {
  private shape: Shape | undefined;
  private place = -1;
  constructor(private readonly key: string) {}

  in(ad: Ad): number {
    if (ad.shape !== this.shape) {
      this.shape = ad.shape;
      this.place = ad.placeOf(this.key);
    }
    return this.place;
  }
}
