/** Counting and walking the values of loops without making a list of them. */
import type { Loop } from "./application";
import { type Bindings, noBindings } from "./expand";

export function loopSize(loop: Loop): number {
  const { values } = loop;
  if (Array.isArray(values)) return values.length;
  return Math.max(0, Math.floor((values.to - values.from) / values.step) + 1);
}

export function loopValueAt(loop: Loop, position: number): string {
  const { values } = loop;
  return Array.isArray(values) ? values[position]! : String(values.from + position * values.step);
}

/** How many tasks a group has: one for each element of the product. */
export function productSize(loops: readonly Loop[]): number {
  let size = 1;
  for (const loop of loops) size *= loopSize(loop);
  return size;
}

/** Numbering one after the other: the innermost loop runs fastest. */
export function denseStrides(loops: readonly Loop[]): number[] {
  const strides = new Array<number>(loops.length);
  let stride = 1;
  for (let l = loops.length - 1; l >= 0; l--) {
    strides[l] = stride;
    stride *= loopSize(loops[l]!);
  }
  return strides;
}

/** The number of every element of the product of the loops. */
export function forEachNumber(
  loops: readonly Loop[],
  strides: readonly number[],
  first: number,
  each: (number: number) => void,
): void {
  const walk = (l: number, number: number): void => {
    const loop = loops[l];
    if (!loop) {
      each(number);
      return;
    }
    const size = loopSize(loop);
    const stride = strides[l]!;
    for (let position = 0; position < size; position++) walk(l + 1, number + position * stride);
  };
  walk(0, first);
}

/**
 * Calls `each` for every element of the product of the loops, with its number and the values of the variables,
 * which are only valid during the call.
 */
export function forEachElement(
  loops: readonly Loop[],
  strides: readonly number[],
  first: number,
  each: (number: number, bindings: Bindings) => void,
): void {
  if (loops.length === 0) {
    each(first, noBindings);
    return;
  }
  const bindings = new Map<string, string>();
  const walk = (l: number, number: number): void => {
    const loop = loops[l];
    if (!loop) {
      each(number, bindings);
      return;
    }
    const size = loopSize(loop);
    for (let position = 0; position < size; position++) {
      bindings.set(loop.variable, loopValueAt(loop, position));
      walk(l + 1, number + position * strides[l]!);
    }
  };
  walk(0, first);
}
