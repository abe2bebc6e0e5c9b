/**
 * Times and speeds that vary: a distribution as grid files write it, and draws from it. All draws come from the
 * simulation's seed. None is below 0, whatever the distribution: these are durations and speeds.
 */
import { z } from "zod";
import type { Random } from "@/core/engine/ports";

const amount = z.number().min(0);
const positive = z.number().gt(0);
/** Every draw is brought between these two. */
const bounds = { atLeast: amount.optional(), atMost: amount.optional() };

const kinds = z.discriminatedUnion(
  "is",
  [
    z.strictObject({ is: z.literal("constant"), value: amount, ...bounds }),
    z.strictObject({ is: z.literal("uniform"), low: amount, high: amount, ...bounds }),
    z.strictObject({ is: z.literal("exponential"), mean: amount, ...bounds }),
    z.strictObject({ is: z.literal("normal"), mean: amount, deviation: amount, ...bounds }),
    /** `sigma` is the deviation of the logarithm. */
    z.strictObject({ is: z.literal("lognormal"), median: amount, sigma: amount, ...bounds }),
    z.strictObject({ is: z.literal("weibull"), scale: amount, shape: positive, ...bounds }),
  ],
  {
    error: ({ input }) =>
      typeof input === "object" && input !== null && !Array.isArray(input)
        ? undefined
        : "must be a number or a distribution",
  },
);

/** A plain number stands for itself. */
export const distribution = z.preprocess(
  (written) => (typeof written === "number" ? { is: "constant", value: written } : written),
  kinds.check((given) => {
    const { value } = given;
    const low = value.is === "uniform" ? value.low : value.atLeast;
    const high = value.is === "uniform" ? value.high : value.atMost;
    if (low === undefined || high === undefined || low <= high) return;
    const names = value.is === "uniform" ? ["low", "high"] : ["atLeast", "atMost"];
    given.issues.push({
      code: "custom",
      message: `must not be above \`${names[1]}\``,
      input: low,
      path: [names[0]!],
    });
  }),
);

export type Distribution = z.infer<typeof distribution>;

export function draw(from: Distribution, random: Random): number {
  const drawn = Math.max(0, unbounded(from, random));
  return Math.min(Math.max(drawn, from.atLeast ?? 0), from.atMost ?? Number.POSITIVE_INFINITY);
}

function unbounded(from: Distribution, random: Random): number {
  switch (from.is) {
    case "constant":
      return from.value;
    case "uniform":
      return from.low + (from.high - from.low) * random.next();
    case "exponential":
      return -from.mean * Math.log(1 - random.next());
    case "normal":
      return from.mean + from.deviation * standardNormal(random);
    case "lognormal":
      return from.median * Math.exp(from.sigma * standardNormal(random));
    case "weibull":
      return from.scale * (-Math.log(1 - random.next())) ** (1 / from.shape);
  }
}

/** Box and Muller's transformation; the second of the pair is not kept, so that a draw has no memory. */
function standardNormal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}
