/**
 * Where names are found. A bare name is looked for in the innermost record, then in those around it, then in
 * the record on the other side of the match (as HTCondor does unless told to be strict), then in the named scopes of the
 * GridBot dialect. An attribute found in a record is evaluated as part of that record.
 */
import { codeOf } from "./compile";
import { Ad, type Attribute, ERROR, Frame, isComputed, ListValue, type Value } from "./value";

/** How many attributes may be under evaluation inside one another. */
const maximumDepth = 100;

export function evaluateAttribute(attribute: Attribute, ad: Ad, frame: Frame): Value {
  // A reference to itself, directly or around a corner, is UNDEFINED.
  if (attribute.busy) return undefined;
  const session = frame.session;
  if (--session.stepsLeft < 0 || session.depth >= maximumDepth) return ERROR;
  const inside = ad === frame.ad ? frame : new Frame(ad, session, isSwapped(ad, frame));
  attribute.code ??= codeOf(attribute.expr);
  attribute.busy = true;
  session.depth++;
  try {
    return attribute.code(inside);
  } finally {
    attribute.busy = false;
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

const valueIn = (attribute: Attribute, ad: Ad, frame: Frame): Value =>
  isComputed(attribute.constant) ? evaluateAttribute(attribute, ad, frame) : attribute.constant;

/** A name in one record only. */
export function lookUp(ad: Ad, key: string, frame: Frame): Value {
  const attribute = ad.attributes.get(key);
  return attribute ? valueIn(attribute, ad, frame) : undefined;
}

/** The record and attribute a bare name stands for, if it stands for one. */
export function find(key: string, frame: Frame): { ad: Ad; attribute: Attribute } | undefined {
  for (const ad of visible(frame)) {
    const attribute = ad.attributes.get(key);
    if (attribute) return { ad, attribute };
  }
  return undefined;
}

function* visible(frame: Frame): Generator<Ad> {
  for (let ad = frame.ad; ad; ad = ad.parent) yield ad;
  const other = otherSide(frame);
  if (other) yield other;
  for (const scope of frame.session.surroundings.scopes ?? []) yield scope.ad;
}

const otherSide = (frame: Frame) => (frame.swapped ? frame.session.my : frame.session.target);

/** A bare name that no record around the expression has. */
export function lookUpOutside(key: string, frame: Frame): Value {
  const session = frame.session;
  const other = frame.swapped ? session.my : session.target;
  switch (key) {
    case "target":
    case "other":
      return other;
    case "my":
    case "self":
      return frame.ad;
    case "parent":
      return frame.ad?.parent;
  }
  const attribute = other?.attributes.get(key);
  if (attribute && other) {
    const constant = attribute.constant;
    return isComputed(constant) ? evaluateAttribute(attribute, other, frame) : constant;
  }
  const scopes = session.surroundings.scopes;
  if (scopes) {
    for (const scope of scopes) {
      const found = scope.ad.attributes.get(key);
      if (found) return valueIn(found, scope.ad, frame);
    }
    for (const scope of scopes) if (scope.name.toLowerCase() === key) return scope.ad;
  }
  if (key === "currenttime") return session.surroundings.now && Math.floor(session.surroundings.now());
  return undefined;
}

/** `scope.name`. As in HTCondor a name that the record lacks is looked for in the records around it; a list is selected from element by element. */
export function select(scope: Value, key: string, frame: Frame): Value {
  if (scope === undefined) return undefined;
  if (scope instanceof Ad) {
    for (let ad: Ad | undefined = scope; ad; ad = ad.parent) {
      const attribute = ad.attributes.get(key);
      if (attribute) return valueIn(attribute, ad, frame);
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
