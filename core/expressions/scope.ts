/**
 * Where names are found. A bare name is looked for in the innermost record, then in those around it, then in
 * the record on the other side of the match (as HTCondor does unless told to be strict; not from inside a nested record), then in the named scopes of the
 * GridBot dialect. An attribute found in a record is evaluated as part of that record.
 */
import { Ad, Computation, Finder } from "./ad";
import { type Code, ERROR, Frame, ListValue, type Value } from "./value";

/** How many attributes may be under evaluation inside one another. */
const maximumDepth = 100;

/** The value of an attribute of `ad` that code in `frame` refers to. */
export function read(ad: Ad, place: number, frame: Frame): Value {
  const slot = ad.slots[place];
  return slot instanceof Computation ? compute(slot, ad, frame) : slot;
}

function compute(computation: Computation, ad: Ad, frame: Frame): Value {
  // A reference to itself, directly or around a corner, is UNDEFINED.
  if (computation.busy) return undefined;
  const session = frame.session;
  if (--session.stepsLeft < 0 || session.depth >= maximumDepth) return ERROR;
  const inside = ad === frame.ad ? frame : new Frame(ad, session, isSwapped(ad, frame));
  computation.code ??= session.codeOf(computation.expr);
  computation.busy = true;
  session.depth++;
  try {
    return computation.code(inside);
  } finally {
    computation.busy = false;
    session.depth--;
  }
}

function isSwapped(ad: Ad, frame: Frame): boolean {
  let root = ad;
  while (root.parent) root = root.parent;
  const { my, target } = frame.session;
  if (root === my) return false;
  return root === target ? true : frame.swapped;
}

/** The record on the other side of the match. */
export const otherSide = (frame: Frame): Ad | undefined => (frame.swapped ? frame.session.my : frame.session.target);

/** The other side as bare names see it: from inside a nested record they do not, there it takes `TARGET.`, as in HTCondor. */
const unnamedOther = (frame: Frame): Ad | undefined => (frame.ad?.parent ? undefined : otherSide(frame));

/** Code for a bare name. */
export function nameCode(name: string): Code {
  const key = name.toLowerCase();
  const inner = new Finder(key);
  const outer = new Finder(key);
  const standing = standingScope(key);
  return (frame) => {
    let ad = frame.ad;
    if (ad !== undefined) {
      const place = inner.in(ad);
      if (place >= 0) return read(ad, place, frame);
      for (ad = ad.parent; ad !== undefined; ad = ad.parent) {
        const found = ad.placeOf(key);
        if (found >= 0) return read(ad, found, frame);
      }
    }
    if (standing) return standing(frame);
    const other = unnamedOther(frame);
    if (other !== undefined) {
      const place = outer.in(other);
      if (place >= 0) return read(other, place, frame);
    }
    return frame.session.surroundings.scopes || key === "currenttime" ? elsewhere(key, frame) : undefined;
  };
}

/** The names that stand for a whole record, unless a record has an attribute of that name. */
function standingScope(key: string): ((frame: Frame) => Ad | undefined) | undefined {
  switch (key) {
    case "target":
    case "other":
      return otherSide;
    case "my":
    case "self":
      return (frame) => frame.ad;
    case "parent":
      return (frame) => frame.ad?.parent;
    default:
      return undefined;
  }
}

/** Code for `TARGET.name` and the like, without making a value of the record first. */
export function scopedCode(scope: string, name: string): Code | undefined {
  const standing = standingScope(scope.toLowerCase());
  if (!standing) return undefined;
  const key = name.toLowerCase();
  const scopeKey = scope.toLowerCase();
  const shadow = new Finder(scopeKey);
  const finder = new Finder(key);
  return (frame) => {
    const inner = frame.ad;
    if (inner !== undefined && (shadow.in(inner) >= 0 || inner.parent !== undefined)) {
      for (let ad: Ad | undefined = inner; ad !== undefined; ad = ad.parent) {
        const place = ad.placeOf(scopeKey);
        if (place >= 0) return select(read(ad, place, frame), key, frame);
      }
    }
    const ad = standing(frame);
    if (ad === undefined) return undefined;
    const place = finder.in(ad);
    return place >= 0 ? read(ad, place, frame) : select(ad.parent, key, frame);
  };
}

function elsewhere(key: string, frame: Frame): Value {
  const { scopes, now } = frame.session.surroundings;
  if (scopes) {
    for (const scope of scopes) {
      const place = scope.ad.placeOf(key);
      if (place >= 0) return read(scope.ad, place, frame);
    }
    for (const scope of scopes) if (scope.name.toLowerCase() === key) return scope.ad;
  }
  return key === "currenttime" && now ? Math.floor(now()) : undefined;
}

/** The record and place a bare name stands for, if it stands for one. */
export function find(key: string, frame: Frame): { ad: Ad; place: number } | undefined {
  const visible: Ad[] = [];
  for (let ad = frame.ad; ad; ad = ad.parent) visible.push(ad);
  const other = unnamedOther(frame);
  if (other) visible.push(other);
  for (const scope of frame.session.surroundings.scopes ?? []) visible.push(scope.ad);
  const ad = visible.find((candidate) => candidate.has(key));
  return ad && { ad, place: ad.placeOf(key) };
}

/** A name in one record only. */
export function lookUp(ad: Ad, key: string, frame: Frame): Value {
  const place = ad.placeOf(key);
  return place >= 0 ? read(ad, place, frame) : undefined;
}

/** `scope.name`. As in HTCondor a name that the record lacks is looked for in the records around it; a list is selected from element by element. */
export function select(scope: Value, key: string, frame: Frame): Value {
  if (scope === undefined) return undefined;
  if (scope instanceof Ad) {
    for (let ad: Ad | undefined = scope; ad; ad = ad.parent) {
      const place = ad.placeOf(key);
      if (place >= 0) return read(ad, place, frame);
    }
    return undefined;
  }
  if (scope instanceof ListValue) {
    const values: Value[] = [];
    for (let i = 0; i < scope.length; i++) values.push(select(scope.at(i), key, frame));
    return ListValue.of(values);
  }
  return ERROR;
}

/** `list[number]` or `record["name"]`. */
export function subscript(base: Value, index: Value, frame: Frame): Value {
  if (base === ERROR || index === ERROR) return ERROR;
  if (base === undefined || index === undefined) return undefined;
  if (base instanceof ListValue) {
    return typeof index === "number" && index >= 0 && index < base.length ? base.at(index) : ERROR;
  }
  if (base instanceof Ad && typeof index === "string") return lookUp(base, index.toLowerCase(), frame);
  return ERROR;
}
