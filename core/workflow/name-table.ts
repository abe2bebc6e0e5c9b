/**
 * Names and their numbers, in the order of their first appearance. A Map does the same, but with a million names the
 * collector of garbage spends seconds on it; here it sees two arrays. Whoever picks names that all fall into one
 * place gets a Map after all, whose order of places cannot be guessed.
 */
const maxProbes = 128;

export class NameTable {
  /** With room for more, like the others: growing step by step leaves large arrays behind. */
  #names: string[];
  #size = 0;
  /** Of each name by its number: its hash, so that the table can grow without reading the names again. */
  #hashes: Int32Array;
  /** Numbers of names, +1, at the places their hashes say; 0 is free. The size is a power of two. */
  #places: Int32Array;
  #map: Map<string, number> | undefined;

  /** With room for so many names; it grows if there are more. */
  constructor(expected = 0) {
    const room = 2 ** Math.ceil(Math.log2(Math.max(expected, 512) + 1));
    this.#names = new Array<string>(room);
    this.#hashes = new Int32Array(room);
    this.#places = new Int32Array(room * 2);
  }

  get size(): number {
    return this.#size;
  }

  /** The number of a name; -1 if it is not there. */
  numberOf(name: string): number {
    if (this.#map) return this.#map.get(name) ?? -1;
    const found = this.#find(name, hashOf(name));
    return found < 0 ? -1 : this.#places[found]! - 1;
  }

  /** The number of a name, which is new if it equals the size before. */
  add(name: string): number {
    if (this.#map) return this.#addToMap(this.#map, name);
    const hash = hashOf(name);
    const found = this.#find(name, hash);
    if (found >= 0) return this.#places[found]! - 1;
    const number = this.#append(name);
    this.#hashes[number] = hash;
    if (number * 2 >= this.#places.length) this.#grow();
    else if (!this.#put(number, hash)) this.#turnIntoMap();
    return number;
  }

  /** Puts the name at the end, where there is room for it and for its hash. */
  #append(name: string): number {
    const number = this.#size;
    if (number === this.#hashes.length) {
      const longer = new Int32Array(number * 2);
      longer.set(this.#hashes);
      this.#hashes = longer;
    }
    this.#names[number] = name;
    this.#size += 1;
    return number;
  }

  name(number: number): string {
    return this.#names[number]!;
  }

  /** The place of the name, or something negative. */
  #find(name: string, hash: number): number {
    const mask = this.#places.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const number = this.#places[place]! - 1;
      if (number < 0) return -1;
      if (this.#hashes[number] === hash && this.#names[number] === name) return place;
    }
  }

  #put(number: number, hash: number): boolean {
    const mask = this.#places.length - 1;
    let place = hash & mask;
    for (let probes = 0; this.#places[place] !== 0; probes++) {
      if (probes === maxProbes) return false;
      place = (place + 1) & mask;
    }
    this.#places[place] = number + 1;
    return true;
  }

  #grow(): void {
    this.#places = new Int32Array(this.#places.length * 2);
    for (let number = 0; number < this.#size; number++) {
      if (!this.#put(number, this.#hashes[number]!)) {
        this.#turnIntoMap();
        return;
      }
    }
  }

  #turnIntoMap(): void {
    this.#map = new Map();
    for (let number = 0; number < this.#size; number++) this.#map.set(this.#names[number]!, number);
  }

  #addToMap(map: Map<string, number>, name: string): number {
    const known = map.get(name);
    if (known !== undefined) return known;
    map.set(name, this.#size);
    return this.#append(name);
  }
}

/** FNV-1a over the characters of a short name, and over both ends of a long one. */
function hashOf(name: string): number {
  const { length } = name;
  let hash = 0x811c9dc5 ^ length;
  const head = length > 64 ? 32 : length;
  for (let at = 0; at < head; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  for (let at = Math.max(head, length - 32); at < length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  }
  // The low bits choose the place, so the high ones have to reach them.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
