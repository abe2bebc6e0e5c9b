import { describe, expect, it } from "vitest";
import { HostMatcher, type HostToMatch } from "./match-hosts";

const host = (name: string, memory: number, more: Partial<HostToMatch> = {}): HostToMatch => ({
  id: name,
  host: name,
  cluster: "local",
  slots: 4,
  free: 2,
  facts: { Memory: memory, OpSys: "LINUX", KFlops: memory * 10 },
  ...more,
});
const hosts = [host("small", 256), host("large", 2048), host("other", 1024, { cluster: "slurm", free: 4 })];
const match = (requirements: string[], rank = "") => {
  const { matching, refused, freeSlots } = new HostMatcher(hosts).match({ requirements, rank }, () => 0);
  return {
    matching: matching.map(({ host: { host: name }, rank: value }) => [name, value]),
    refused: refused.map(({ host: { host: name }, failing }) => [name, failing]),
    freeSlots,
  };
};

describe("matching hosts", () => {
  it("without a requirement are all, the freest first", () => {
    expect(match([""])).toEqual({
      matching: [
        ["other", 0],
        ["large", 0],
        ["small", 0],
      ],
      refused: [],
      freeSlots: 8,
    });
  });

  it("are ordered by rank, and the others told the clause with the host's own value", () => {
    expect(match(["Memory >= 512", 'Host.Grid == "local" || Cpus > 100'], "KFlops")).toEqual({
      matching: [["large", 20480]],
      refused: [
        ["small", ["Memory >= 512 — here 256"]],
        ["other", ['Host.Grid == "local" — here "slurm"', "Cpus > 100 — here 4"]],
      ],
      freeSlots: 2,
    });
  });

  it("a requirement that cannot be read is not counted; the field says what is wrong with it", () => {
    expect(match(["Memory >="]).matching).toHaveLength(3);
  });

  it("know how busy they are", () => {
    expect(match(["FreeSlots >= 3 && RunningJobs == 0"]).matching).toEqual([["other", 0]]);
  });

  it("the terms of a rank are told", () => {
    const { matching } = new HostMatcher(hosts).match({ requirements: [], rank: "KFlops + 10 * Cpus" }, () => 0);
    expect(matching[0]?.terms.map(({ text, contribution }) => [text, contribution])).toEqual([
      ["KFlops", 20480],
      ["10 * Cpus", 40],
    ]);
  });
});
