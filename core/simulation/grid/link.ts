/**
 * A cluster's way to the portal. Transfers under way share its bandwidth evenly. Instead of moving every transfer on
 * whenever one begins or ends, the link keeps one count: the bytes each of them would have moved by now had it been there
 * from the start. A transfer is over when the count has grown by its size, so only the next end is planned.
 */
import { Heap } from "@/core/simulation/heap";
import type { Timeline } from "@/core/simulation/timeline";

interface Transfer {
  /** The link's count at which it is over. */
  readonly until: number;
  readonly order: number;
  readonly done: () => void;
  cancelled: boolean;
}

export class Link {
  /** Bytes that travelled or travel, of transfers that were not stopped. */
  bytesMoved = 0;
  private count = 0;
  private countedAt = 0;
  private active = 0;
  private begun = 0;
  /** A heap by end; what was stopped falls out when it comes up. */
  private readonly heap = new Heap<Transfer>(before);
  /** Only the last plan for the next end is carried out. */
  private plan = 0;

  constructor(
    private readonly timeline: Timeline,
    private readonly setUpMs: number,
    readonly bytesPerMs: number,
  ) {}

  /** Files without a size, or a link without a bandwidth, take no time. */
  isInstant(bytes: number): boolean {
    return bytes <= 0 || this.bytesPerMs === Number.POSITIVE_INFINITY;
  }

  start(bytes: number, done: () => void): { stop(): void } {
    this.bytesMoved += bytes;
    let transfer: Transfer | undefined;
    let over = false;
    const ended = () => {
      over = true;
      done();
    };
    this.timeline.after(this.setUpMs, () => {
      if (over) return;
      this.advance();
      this.begun += 1;
      transfer = { until: this.count + bytes, order: this.begun, done: ended, cancelled: false };
      this.active += 1;
      this.heap.push(transfer);
      this.planNext();
    });
    return {
      stop: () => {
        if (over) return;
        over = true;
        if (transfer) this.cancel(transfer);
        this.bytesMoved -= bytes;
      },
    };
  }

  private cancel(transfer: Transfer): void {
    this.advance();
    transfer.cancelled = true;
    this.active -= 1;
    this.planNext();
  }

  private advance(): void {
    const { now } = this.timeline;
    if (this.active > 0) this.count += ((now - this.countedAt) * this.bytesPerMs) / this.active;
    this.countedAt = now;
  }

  private planNext(): void {
    this.plan += 1;
    while (this.heap.first?.cancelled) this.heap.pop();
    const next = this.heap.first;
    if (!next) return;
    const { plan } = this;
    const inMs = ((next.until - this.count) * this.active) / this.bytesPerMs;
    this.timeline.after(inMs, () => {
      if (plan !== this.plan) return;
      this.advance();
      // Rounding must not keep a transfer from its end.
      this.count = Math.max(this.count, next.until);
      this.heap.pop();
      this.active -= 1;
      this.planNext();
      next.done();
    });
  }
}

function before(a: Transfer, b: Transfer): boolean {
  return a.until < b.until || (a.until === b.until && a.order < b.order);
}
