import { describe, expect, it } from "vitest";
import { defaultRunSettings } from "@/server/engine/run-settings";
import { readSettings, type SettingsFlags } from "./settings";

const read = (flags: SettingsFlags, file = "{}") => readSettings(flags, async () => file);

describe("the settings of a run from the command line", () => {
  it("are the defaults where nothing is said", async () => {
    expect(await read({})).toEqual({ ok: true, settings: defaultRunSettings });
  });

  it("take policies from a file, and priority, retries and clustering from flags", async () => {
    const policies = { jobRequirements: "Memory > 1", deadline: " ", maxReplicas: 2 };
    const flags = { policies: "p.json", priority: "-3", retries: "0", cluster: "blocks", granularity: "10" };
    expect(await read(flags, JSON.stringify(policies))).toEqual({
      ok: true,
      settings: {
        ...defaultRunSettings,
        policies: { jobRequirements: "Memory > 1", maxReplicas: 2 },
        priority: -3,
        retries: 0,
        clustering: { algorithm: "blocks", granularity: 10 },
      },
    });
  });

  it.each<[SettingsFlags, string | undefined, RegExp]>([
    [{ policies: "p.json" }, '{"jobRequirements": "Memory >"}', /^p\.json: JobRequirements, line 1, column \d+: /],
    [{ policies: "p.json" }, '{"jobRequirement": "true"}', /^p\.json: .*jobRequirement/],
    [{ policies: "p.json" }, "{", /^p\.json: It is not JSON: /],
    [{ priority: "21" }, undefined, /^--priority: /],
    [{ retries: "" }, undefined, /^--retries: /],
    [{ retries: "1.5" }, undefined, /^--retries: /],
    [{ cluster: "heaps" }, undefined, /^--cluster: there is no algorithm “heaps”/],
    [{ granularity: "3" }, undefined, /^--granularity needs --cluster\.$/],
  ])("%o with %s are refused with the place", async (flags, file, sentence) => {
    const result = await read(flags, file);
    expect(result).toMatchObject({ ok: false, sentence: expect.stringMatching(sentence) });
  });
});
