import { describe, expect, it } from "vitest";
import { networkOf, waitAfter } from "./throttle";

describe("the wait after failures", () => {
  it("doubles from two seconds to five minutes and no further", () => {
    expect([3, 4, 5, 6, 11, 12, 5000].map((failures) => waitAfter(failures, 4))).toEqual([0, 2, 4, 8, 256, 300, 300]);
  });
});

describe("whose failures they are", () => {
  it.each([
    ["10.0.0.1", "10.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
  ])("%s counts as %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
