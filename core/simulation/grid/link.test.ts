import { describe, expect, it } from "vitest";
import { Timeline } from "@/core/simulation/timeline";
import { FileCache } from "./file-cache";
import { Link } from "./link";

/** 100 bytes a second, half a second of latency. Returns when each name was told, in seconds. */
function stage() {
  const timeline = new Timeline();
  const link = new Link(timeline, 500, 0.1);
  const times: Record<string, number> = {};
  const tell = (name: string) => () => {
    times[name] = timeline.now / 1000;
  };
  const passed = () => {
    while (timeline.step()) {}
    return times;
  };
  return { timeline, link, tell, passed };
}

describe("a link", () => {
  it("takes its latency and then as long as its bandwidth says", () => {
    const { link, tell, passed } = stage();
    link.start(200, tell("a"));
    expect(passed()).toEqual({ a: 2.5 });
  });

  it("is shared by what travels at the same time", () => {
    const { timeline, link, tell, passed } = stage();
    link.start(200, tell("a"));
    // From 1.5 on half each: a has 100 left, b 300; when a is through at 3.5, b has 200 left.
    timeline.after(1000, () => link.start(300, tell("b")));
    expect(passed()).toEqual({ a: 3.5, b: 5.5 });
    expect(link.bytesMoved).toBe(500);
  });

  it("leaves the bandwidth of what was stopped to the others", () => {
    const { timeline, link, tell, passed } = stage();
    link.start(200, tell("a"));
    const b = link.start(1000, tell("b"));
    timeline.after(1500, () => b.stop());
    // Half of it for one second, all of it for the rest.
    expect(passed()).toEqual({ a: 3 });
    expect(link.bytesMoved).toBe(200);
  });

  it("is not disturbed by stopping what is over", () => {
    const { timeline, link, tell, passed } = stage();
    const a = link.start(100, tell("a"));
    link.start(300, tell("b"));
    timeline.after(3000, () => a.stop());
    expect(passed()).toEqual({ a: 2.5, b: 4.5 });
  });
});

describe("a cluster's cache", () => {
  const file = { name: "f", bytes: 100 };

  it("brings a file once: who comes meanwhile waits for it, who comes later has it", () => {
    const { timeline, link, tell, passed } = stage();
    const cache = new FileCache(link, true);
    cache.fetch([file], tell("first"));
    timeline.after(1000, () => cache.fetch([file], tell("meanwhile")));
    timeline.after(5000, () => cache.fetch([file], tell("later")));
    expect(passed()).toEqual({ first: 1.5, meanwhile: 1.5, later: 5 });
    expect([link.bytesMoved, cache.hits]).toEqual([100, 2]);
  });

  it("without a cache brings it for everyone", () => {
    const { link, tell, passed } = stage();
    const cache = new FileCache(link, false);
    cache.fetch([file], tell("first"));
    cache.fetch([file], tell("second"));
    expect(passed()).toEqual({ first: 2.5, second: 2.5 });
    expect(link.bytesMoved).toBe(200);
  });

  it("has what a task of the cluster wrote", () => {
    const { link, tell, passed } = stage();
    const cache = new FileCache(link, true);
    cache.keep(file);
    cache.fetch([file, { name: "empty", bytes: 0 }], tell("reader"));
    expect(passed()).toEqual({ reader: 0 });
  });

  it("does not tell whoever has gone, but keeps the file", () => {
    const { link, tell, passed } = stage();
    const cache = new FileCache(link, true);
    cache.fetch([file], tell("gone")).stop();
    cache.fetch([file], tell("stays"));
    expect(passed()).toEqual({ stays: 1.5 });
  });
});
