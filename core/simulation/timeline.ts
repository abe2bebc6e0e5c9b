/**
 * Simulated time: things happen in the order of their time, and in the order they were planned if the times are
 * equal. Nothing else in a simulation has a clock. Everything told to `log` goes into the event log, whose hash two
 * runs of one seed must share.
 */
import { Heap } from "./heap";

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
  private readonly heap = new Heap<Planned>(earlier);

  /** A long simulation keeps only the hash of its log. */
  constructor(private readonly keepsLog = true) {}

  after(delay: number, action: () => void): void {
    this.planned += 1;
    this.heap.push({ time: this.now + Math.max(0, delay), order: this.planned, action });
  }

  /** Lets the next thing happen; false if nothing is planned. */
  step(): boolean {
    const next = this.heap.pop();
    if (!next) return false;
    this.now = next.time;
    next.action();
    return true;
  }

  log(line: string): void {
    const stamped = `${(this.now / 1000).toFixed(3).padStart(8)} ${line}`;
    if (this.keepsLog) this.lines.push(stamped);
    let hash = this.hashed;
    for (let i = 0; i < stamped.length; i += 1) hash = Math.imul(hash ^ stamped.charCodeAt(i), 0x01000193);
    this.hashed = hash;
  }

  get hash(): string {
    return (this.hashed >>> 0).toString(16).padStart(8, "0");
  }
}

function earlier(a: Planned, b: Planned): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
