import { expect, it } from "vitest";
import { adFromData, compile, evaluate, parseExpression, rankNumber } from "@/core/expressions";
import { hostAd } from "./host-ad";
import { describeHost } from "./host-facts";
import { knownAttribute, knownAttributes, rankPresets } from "./known-attributes";

const facts = { name: "n1", os: "Linux 6.1", arch: "x64", cpus: 4, cpuModel: "m", memoryBytes: 2 ** 31 };
const ad = hostAd({ id: "a", cluster: "local", host: "n1", slots: 4, ...describeHost(facts) });

it("what is said to be kept about hosts is in a host's record", () => {
  for (const { name, of } of knownAttributes)
    if (of === "record") expect(ad.ad.has(name.toLowerCase()), name).toBe(true);
});

it("an attribute is known in any case and with what it belongs to", () => {
  expect(knownAttribute("host.memory")?.unit).toBe("MB");
  expect(knownAttribute("Memry")).toBeUndefined();
});

it.each(rankPresets.filter(({ expression }) => expression !== ""))(
  "the rank “$label” prefers the better host",
  ({ expression }) => {
    const parsed = parseExpression(expression);
    if (!parsed.ok) throw new Error(parsed.problem.message);
    const rank = (host: Record<string, unknown>) =>
      rankNumber(evaluate(compile(parsed.value), { target: adFromData(host) }));
    const good = {
      KFlops: 2e6,
      LoadAvg: 0.1,
      Cpus: 4,
      CpuFree: 390,
      AverageTurnaround: 5,
      ErrorRate: 0,
      FreeMemory: 900,
      Memory: 1000,
    };
    const bad = {
      KFlops: 1e6,
      LoadAvg: 3.9,
      Cpus: 4,
      CpuFree: 10,
      AverageTurnaround: 50,
      ErrorRate: 0.5,
      FreeMemory: 100,
      Memory: 1000,
    };
    expect(rank(good)).toBeGreaterThan(rank(bad));
  },
);
