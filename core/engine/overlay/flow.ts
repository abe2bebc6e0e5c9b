/**
 * A flow of clients from kinds of bags to grids that can only grow. A kind is all bags that may use the same grids.
 *
 *   kind → grid, where it may use the grid → a client that waits there
 *                                          → a new client, as long as the grid has room and all grids are below the limit
 *
 * A path may take a client from one kind and give that kind another one elsewhere, so nobody goes without just because
 * others chose first. New clients are asked for only when no waiting one can be freed in this way; since waiting ones are
 * never let go again, it remains so, and no new client is ever one too many.
 */
export interface FlowLimits {
  /** For each grid: clients that have no work yet, and how many more may be asked for. */
  readonly waiting: readonly number[];
  readonly room: readonly number[];
  /** New clients in all. */
  readonly limit: number;
  /** For each kind the grids it may use, the best first. */
  readonly choices: readonly (readonly number[])[];
}

const none = -1;

interface Exit {
  grid: number;
  fresh: boolean;
}

export class Flow {
  readonly #limits: FlowLimits;
  readonly #kinds: number;
  readonly #grids: number;
  /** Clients by kind and grid, row by row. */
  #given: Int32Array;
  #waitingUsed: Int32Array;
  #asked: Int32Array;
  #askedInAll = 0;
  /** Of the search: from where each node was reached. Kinds come first, then grids. */
  readonly #from: Int32Array;
  readonly #line: Int32Array;

  constructor(limits: FlowLimits) {
    this.#limits = limits;
    this.#kinds = limits.choices.length;
    this.#grids = limits.room.length;
    this.#given = new Int32Array(this.#kinds * this.#grids);
    this.#waitingUsed = new Int32Array(this.#grids);
    this.#asked = new Int32Array(this.#grids);
    this.#from = new Int32Array(this.#kinds + this.#grids);
    this.#line = new Int32Array(this.#kinds + this.#grids);
  }

  /** New clients on each grid. */
  get asked(): number[] {
    return Array.from(this.#asked);
  }

  /** Gives the kind that many more clients, or as many as there can be. Nobody else gets fewer for it. */
  raise(kind: number, amount: number): number {
    let left = amount;
    while (left > 0) {
      const exit = this.#search(kind);
      if (!exit) break;
      left -= this.#push(kind, exit, left);
    }
    return amount - left;
  }

  /** The answer takes back whatever is raised from here on. */
  save(): () => void {
    const saved = [this.#given.slice(), this.#waitingUsed.slice(), this.#asked.slice(), this.#askedInAll] as const;
    return () => {
      [this.#given, this.#waitingUsed, this.#asked, this.#askedInAll] = saved;
    };
  }

  /** Breadth first: the nearest waiting client if there is any, else the nearest room for a new one. */
  #search(kind: number): Exit | undefined {
    const { waiting, room, choices, limit } = this.#limits;
    let roomy = none;
    this.#from.fill(none);
    this.#from[kind] = kind;
    this.#line[0] = kind;
    let length = 1;
    const reach = (node: number, from: number) => {
      if (this.#from[node] !== none) return;
      this.#from[node] = from;
      this.#line[length++] = node;
    };
    for (let i = 0; i < length; i++) {
      const node = this.#line[i]!;
      if (node < this.#kinds) {
        for (const grid of choices[node]!) reach(this.#kinds + grid, node);
        continue;
      }
      const grid = node - this.#kinds;
      if (this.#waitingUsed[grid]! < waiting[grid]!) return { grid, fresh: false };
      if (roomy === none && this.#asked[grid]! < room[grid]!) roomy = grid;
      for (let other = 0; other < this.#kinds; other++) {
        if (this.#given[other * this.#grids + grid]! > 0) reach(other, node);
      }
    }
    return roomy !== none && this.#askedInAll < limit ? { grid: roomy, fresh: true } : undefined;
  }

  /** Along the way found, as many as its narrowest place lets through. */
  #push(kind: number, { grid, fresh }: Exit, wanted: number): number {
    const { waiting, room, limit } = this.#limits;
    let amount = Math.min(
      wanted,
      fresh
        ? Math.min(limit - this.#askedInAll, room[grid]! - this.#asked[grid]!)
        : waiting[grid]! - this.#waitingUsed[grid]!,
    );
    const exit = this.#kinds + grid;
    for (let node = exit; node !== kind; node = this.#from[node]!) {
      // A kind on the way gives up what it had in the grid it was reached from.
      if (node < this.#kinds) amount = Math.min(amount, this.#given[this.#place(node, this.#from[node]!)]!);
    }
    for (let node = exit; node !== kind; node = this.#from[node]!) {
      const from = this.#from[node]!;
      if (node < this.#kinds) this.#given[this.#place(node, from)]! -= amount;
      else this.#given[this.#place(from, node)]! += amount;
    }
    if (fresh) {
      this.#asked[grid]! += amount;
      this.#askedInAll += amount;
    } else {
      this.#waitingUsed[grid]! += amount;
    }
    return amount;
  }

  #place(kind: number, gridNode: number): number {
    return kind * this.#grids + gridNode - this.#kinds;
  }
}
