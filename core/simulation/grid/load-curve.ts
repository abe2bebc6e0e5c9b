/**
 * The load others put on a host over time, in steps: from each point on, its share of the machine is taken, until the
 * next point; a repeating curve starts again. Tasks get the rest. A load of 1 stops them.
 */
import { z } from "zod";

export const loadCurve = z
  .strictObject({
    /** Seconds from the start of the simulation. */
    points: z
      .array(z.strictObject({ at: z.number().min(0), load: z.number().min(0).max(1) }))
      .min(1)
      .max(10_000),
    /** The curve starts again after so many seconds. */
    repeatSeconds: z.number().gt(0).optional(),
  })
  .check((given) => {
    const { points, repeatSeconds } = given.value;
    const complain = (index: number, message: string) =>
      given.issues.push({ code: "custom", message, input: points[index]?.at, path: ["points", index, "at"] });
    if (points[0]!.at !== 0) complain(0, "must be 0: the first point is the start of the curve");
    for (let i = 1; i < points.length; i += 1) {
      if (points[i]!.at <= points[i - 1]!.at) complain(i, "must be later than that of the point before");
    }
    if (repeatSeconds !== undefined && points.at(-1)!.at >= repeatSeconds) {
      complain(points.length - 1, "must be before `repeatSeconds`");
    }
    const never = repeatSeconds === undefined ? points.at(-1)!.load === 1 : points.every(({ load }) => load === 1);
    if (never) {
      const message = "leaves nothing to tasks for ever: no task on this host would end";
      given.issues.push({ code: "custom", message, input: points, path: ["points"] });
    }
  });

export type LoadCurve = z.infer<typeof loadCurve>;

export class Load {
  private readonly starts: Float64Array;
  private readonly shares: Float64Array;
  private readonly period: number;
  /** What one period leaves to tasks, in seconds of a free machine. */
  private readonly perPeriod: number;

  constructor({ points, repeatSeconds }: LoadCurve) {
    this.starts = Float64Array.from(points, ({ at }) => at);
    this.shares = Float64Array.from(points, ({ load }) => 1 - load);
    this.period = repeatSeconds ?? Number.POSITIVE_INFINITY;
    this.perPeriod = repeatSeconds === undefined ? Number.POSITIVE_INFINITY : this.sumTo(repeatSeconds);
  }

  /** Seconds of a free machine that tasks get from the start of the simulation until `time`. */
  upTo(time: number): number {
    if (this.period === Number.POSITIVE_INFINITY) return this.sumTo(time);
    const whole = Math.floor(time / this.period);
    return whole * this.perPeriod + this.sumTo(time - whole * this.period);
  }

  /** When `work`, in seconds of a free machine, is done if it begins at `start`. */
  endOf(work: number, start: number): number {
    if (work <= 0) return start;
    const target = this.upTo(start) + work;
    let base = 0;
    let rest = target;
    if (this.period !== Number.POSITIVE_INFINITY) {
      // Done at the end of a period, not at the start of the next, where the machine may be taken.
      const whole = Math.max(0, Math.ceil(target / this.perPeriod) - 1);
      base = whole * this.period;
      rest = target - whole * this.perPeriod;
    }
    const last = this.starts.length - 1;
    let done = 0;
    for (let i = 0; i < last; i += 1) {
      const inStep = (this.starts[i + 1]! - this.starts[i]!) * this.shares[i]!;
      if (done + inStep >= rest) return base + this.starts[i]! + (rest - done) / this.shares[i]!;
      done += inStep;
    }
    // Rounding may leave a trace of work beyond a period's last useful step.
    if (this.shares[last] === 0) return base + this.starts[last]!;
    return base + this.starts[last]! + (rest - done) / this.shares[last]!;
  }

  private sumTo(time: number): number {
    let sum = 0;
    for (let i = 0; i < this.starts.length && this.starts[i]! < time; i += 1) {
      const until = Math.min(time, this.starts[i + 1] ?? Number.POSITIVE_INFINITY);
      sum += (until - this.starts[i]!) * this.shares[i]!;
    }
    return sum;
  }
}
