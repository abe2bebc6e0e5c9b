import { describe, expect, it } from "vitest";
import { clusterSettings, type RegisteredCluster } from "../cluster-settings";
import { accountFor, type KnownCredential } from "./accounts";
import { gatewayUrlFor, tunnelPort } from "./reach";

const now = 1_000_000;
const me = "0198c1de-0000-7000-8000-000000000001";

function cluster(more: Partial<RegisteredCluster> = {}): RegisteredCluster {
  return {
    ...{ id: "hpc", name: "hpc", driver: "slurm", enabled: true, draining: false, removed: false, access: "everyone" },
    ...{
      accountPolicy: "either",
      address: { host: "front.example.org", port: 22 },
      settings: clusterSettings.parse({}),
    },
    ...more,
  };
}

function credential(account: string | null, expiresAt: number | null = null): KnownCredential {
  return { cluster: "hpc", account, expiresAt, version: "1" };
}

describe("whose account", () => {
  it("one's own before the service account, where both may be used", () => {
    const both = [credential(null), credential(me)];
    expect(accountFor(cluster(), me, both, now)).toEqual({ account: me });
    expect(accountFor(cluster({ accountPolicy: "service" }), me, both, now)).toEqual({ account: null });
    expect(accountFor(cluster({ accountPolicy: "own" }), me, both, now)).toEqual({ account: me });
    expect(accountFor(cluster(), "cli:me", both, now)).toEqual({ account: null });
  });

  it("none, with a sentence for whom it concerns, when the key is missing or has expired", () => {
    const own = cluster({ accountPolicy: "own" });
    expect(accountFor(own, me, [credential(null)], now)).toMatchObject({
      account: me,
      problem: expect.stringMatching(/no key/),
    });
    expect(accountFor(own, me, [credential(me, now - 1)], now)).toMatchObject({
      account: me,
      problem: expect.stringMatching(/expired/),
    });
    const service = cluster({ accountPolicy: "service" });
    expect(accountFor(service, me, [credential(me)], now)).toMatchObject({
      account: null,
      problem: expect.stringMatching(/service account/),
    });
    expect(accountFor(cluster(), me, [credential(me, now - 1)], now)).toMatchObject({
      account: me,
      problem: expect.stringMatching(/expired/),
    });
  });

  it("the portal's own, on the portal's machine, and nobody else's", () => {
    const { address: _, ...here } = cluster();
    expect(accountFor(here, me, [], now)).toEqual({ account: null });
    expect(accountFor({ ...here, accountPolicy: "own" }, me, [], now)).toHaveProperty("problem");
  });
});

describe("the way to the portal", () => {
  const portal = { host: "127.0.0.1", port: 3000, gatewayPort: 4000 };
  const url = (more: Partial<RegisteredCluster>, settings: Record<string, unknown> = {}, reach = {}) =>
    gatewayUrlFor(cluster({ ...more, settings: clusterSettings.parse(settings) }), null, "abcdef01", {
      ...portal,
      ...reach,
    });

  it("is the public address, or this machine's for what runs on it", () => {
    expect(url({}, {}, { publicUrl: "https://grid.example.org" })).toBe("https://grid.example.org");
    expect(url({}, {}, { host: "10.0.0.7" })).toBe("http://10.0.0.7:3000");
    expect(url({ address: { host: "127.0.0.1", port: 22 } })).toBe("http://127.0.0.1:4000");
    expect(url({}, { gatewayUrl: "http://portal.local:8000" })).toBe("http://portal.local:8000");
    expect(() => url({})).toThrow(/GRIDLOOM_URL/);
  });

  it("is the same tunnel for a cluster and account, always", () => {
    const port = tunnelPort(cluster(), null, "abcdef01");
    expect(url({}, { reach: "tunnel" })).toBe(`http://127.0.0.1:${port}`);
    expect(url({}, { reach: "tunnel", relayHost: "front" })).toBe(`http://front:${port}`);
    expect(tunnelPort(cluster(), me, "abcdef01")).not.toBe(port);
  });
});
