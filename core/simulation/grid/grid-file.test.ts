import { describe, expect, it } from "vitest";
import { readDistribution, readGrid } from "./grid-file";

const host = { name: "h" };
const problemsOf = (grid: unknown) => readGrid(JSON.stringify(grid)).problems.map(({ message }) => message);
const withCluster = (cluster: object) => ({ name: "g", clusters: [{ name: "c", hosts: [host], ...cluster }] });
const withHost = (more: object) => withCluster({ hosts: [{ ...host, ...more }] });

describe("a grid file", () => {
  it("needs no more than names and hosts", () => {
    const { grid, problems } = readGrid(JSON.stringify(withCluster({})));
    expect(problems).toEqual([]);
    expect(grid?.engine).toEqual({ silentSeconds: 30, commitSeconds: 0, dispatchSeconds: 0, submitters: 1 });
    expect(grid?.clusters[0]).toMatchObject({ distance: 0, cache: true, failover: false, limits: {} });
    expect(grid?.clusters[0]?.hosts[0]).toMatchObject({ count: 1, cores: 1, speed: { is: "constant", value: 1 } });
  });

  it.each([
    ["a text", "The file must be an object."],
    [{ name: "g" }, "`clusters` is missing."],
    [{ name: "g", clusters: [] }, "`clusters` must not be empty."],
    [{ name: "g", clusters: {} }, "`clusters` must be a list."],
    [withCluster({ name: 7 }), "`clusters[0].name` must be a text."],
    [withCluster({ hosts: [{}] }), "`clusters[0].hosts[0].name` is missing."],
    [withHost({ count: 1.5 }), "`clusters[0].hosts[0].count` must be a whole number."],
    [withHost({ cores: 0 }), "`clusters[0].hosts[0].cores` must be at least 1."],
    [withHost({ sped: 2 }), "`clusters[0].hosts[0]` has no place for `sped`; did you mean `speed`?"],
    [withHost({ speed: "fast" }), "`clusters[0].hosts[0].speed` must be a number or a distribution."],
    [withHost({ speed: -1 }), "`clusters[0].hosts[0].speed.value` must be at least 0."],
    [withHost({ attributes: { "a b": 1 } }), "is not the name of an attribute"],
    [
      withHost({ attributes: { a: [] } }),
      "`clusters[0].hosts[0].attributes.a` must be a text, a number, true or false.",
    ],
    [withCluster({ queue: { is: "gaussian" } }), '`clusters[0].queue.is` must be one of "constant", "uniform"'],
    [withCluster({ queue: { is: "uniform", low: 5, high: 1 } }), "`clusters[0].queue.low` must not be above `high`."],
    [withCluster({ queue: { is: "normal", mean: 5 } }), "`clusters[0].queue.deviation` is missing."],
    [withCluster({ link: { bytesPerSecond: 0 } }), "`clusters[0].link.bytesPerSecond` must be above 0."],
    [withHost({ failures: { task: 2 } }), "`clusters[0].hosts[0].failures.task` must be at most 1."],
    [withHost({ failures: { hostEvery: 5 } }), "`clusters[0].hosts[0].failures` says how often a host fails, and must"],
    [
      withHost({ preemption: { free: 1, busy: 1, action: "pause" } }),
      '`clusters[0].hosts[0].preemption.action` must be one of "kill", "suspend".',
    ],
    [
      withHost({ load: { points: [{ at: 0, load: 1 }] } }),
      "`clusters[0].hosts[0].load.points` leaves nothing to tasks",
    ],
    [withHost({ load: { points: [{ at: 1, load: 0 }] } }), "`clusters[0].hosts[0].load.points[0].at` must be 0"],
    [
      withCluster({ hosts: [host, host] }),
      "`clusters[0].hosts[1].name` is the name of other hosts of this cluster too.",
    ],
    [withHost({ count: 1_000_000, name: "a" }), undefined],
  ])("says what is wrong and where: %j", (grid, message) => {
    const problems = problemsOf(grid);
    if (message === undefined) expect(problems).toEqual([]);
    else expect(problems.join("\n")).toContain(message);
  });

  it("points at the line and column", () => {
    const { problems } = readGrid('{\n  "name": "g",\n  "clusters": [{ "name": "c", "hosts": 7 }]\n}');
    expect(problems[0]?.at).toMatchObject({ line: 3, column: 40 });
    const [fault] = readGrid('{\n  "name": "g",,\n}').problems;
    expect(fault?.at).toMatchObject({ line: 2, column: 15 });
  });

  it("counts hosts over all clusters", () => {
    const hosts = [{ name: "h", count: 600_000 }];
    const clusters = [
      { name: "a", hosts },
      { name: "b", hosts },
    ];
    expect(problemsOf({ name: "g", clusters })).toEqual(["`clusters` has 1200000 hosts, more than a million."]);
  });
});

describe("a distribution by itself", () => {
  it("is a number or an object", () => {
    expect(readDistribution("5")).toEqual({ is: "constant", value: 5 });
    expect(readDistribution('{"is":"weibull","scale":2,"shape":1}')).toEqual({ is: "weibull", scale: 2, shape: 1 });
  });

  it.each([
    ["", "The text ends where a value was expected."],
    ['{"is":"weibull","scale":2}', "`shape` is missing."],
    ["[1]", "It must be a number or a distribution."],
    ["{}", "`is` is missing."],
    ["true", "It must be a number or a distribution."],
  ])("is refused with a sentence: %s", (text, message) => {
    expect(readDistribution(text)).toContain(message);
  });
});
