/**
 * Simulated time: things happen in the order of their time, and in the order they were planned if the times are
 * equal. Nothing else in a simulation has a clock. Everything told to `log` goes into the event log, whose hash two
 * runs of one seed must share.
 */
interface Planned {
  time: number;
  order: number;
  action: () => void;
}

export class Timeline {
  now = 0;
  readonly lines: string[] = [];
  private hashed = 0x811c9dc5;
  private planned = 0;
  private readonly heap: Planned[] = [];

  after(delay: number, action: () => void): void {
    this.planned += 1;
    this.push({ time: this.now + Math.max(0, delay), order: this.planned, action });
  }

  /** Lets the next thing happen; false if nothing is planned. */
  step(): boolean {
    const next = this.pop();
    if (!next) return false;
    this.now = next.time;
    next.action();
    return true;
  }

  log(line: string): void {
    const stamped = `${(this.now / 1000).toFixed(3).padStart(8)} ${line}`;
    this.lines.push(stamped);
    let hash = this.hashed;
    for (let i = 0; i < stamped.length; i += 1) hash = Math.imul(hash ^ stamped.charCodeAt(i), 0x01000193);
    this.hashed = hash;
  }

  get hash(): string {
    return (this.hashed >>> 0).toString(16).padStart(8, "0");
  }

  private push(item: Planned): void {
    const { heap } = this;
    let index = heap.length;
    heap.push(item);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (earlier(heap[parent]!, item)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = item;
  }

  private pop(): Planned | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && earlier(heap[child + 1]!, heap[child]!)) child += 1;
      if (earlier(last, heap[child]!)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function earlier(a: Planned, b: Planned): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
