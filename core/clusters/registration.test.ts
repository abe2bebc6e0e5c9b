import { describe, expect, it } from "vitest";
import { credentialDraft, type Registration, registration } from "./registration";

const slurm: Registration = {
  name: "Fermi",
  driver: "slurm",
  address: { host: "front.example.org", port: 22 },
  queue: null,
  access: "everyone",
  accountPolicy: "own",
  hostKey: null,
  settings: {
    slotsPerAgent: 4,
    wallSeconds: 3600,
    maxAgents: 4,
    maxQueued: 4,
    perMinute: 30,
    distance: 0,
    failOver: false,
    reach: "direct",
    pollSeconds: 5,
    minimalAgent: false,
    idleSeconds: 120,
  },
};

function problems(change: object): Record<string, string> {
  const { error } = registration.safeParse({ ...slurm, ...change });
  return Object.fromEntries((error?.issues ?? []).map((issue) => [issue.path.join("."), issue.message]));
}

describe("a registration", () => {
  it("is taken as it is", () => {
    expect(registration.parse(slurm)).toEqual(slurm);
  });

  it.each([
    ["name", { name: " " }, "Please give it a name."],
    [
      "address.host",
      { address: { host: "-oProxyCommand=x", port: 22 } },
      "This is not the name or the address of a host.",
    ],
    ["address.port", { address: { host: "a", port: 70_000 } }, "Port: a whole number from 1 to 65,535."],
    ["queue", { queue: "a b" }, "This is not the name of a queue."],
    ["queue", { queue: "--wrap" }, "This is not the name of a queue."],
    [
      "settings.slotsPerAgent",
      { settings: { ...slurm.settings, slotsPerAgent: 1.5 } },
      "Slots of an agent: a whole number from 1 to 1,024.",
    ],
    [
      "settings.wallSeconds",
      { settings: { ...slurm.settings, wallSeconds: Number.NaN } },
      "Time limit: a number of hours.",
    ],
    [
      "settings.workDirectory",
      { settings: { ...slurm.settings, workDirectory: "scratch" } },
      "The directory must begin with “/”.",
    ],
    [
      "settings.gatewayUrl",
      { settings: { ...slurm.settings, gatewayUrl: "ftp://portal" } },
      "This is not an address that begins with http:// or https://.",
    ],
    ["accountPolicy", { address: null }, "On the portal's own machine there is only the portal's account."],
    ["address", { address: null, driver: "ssh", accountPolicy: "service" }, "An SSH host needs an address."],
  ])("says beside %s what is wrong", (field, change, sentence) => {
    expect(problems(change)[field]).toBe(sentence);
  });
});

describe("a credential", () => {
  const whole = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----";
  const says = (change: object) =>
    credentialDraft.safeParse({ login: "ada", key: { is: "pasted", privateKey: whole }, expiresAt: null, ...change })
      .error?.issues[0]?.message;

  it("needs a whole key and an account that is no option", () => {
    expect(says({})).toBeUndefined();
    expect(says({ login: "-l root" })).toBe("This is not the name of an account.");
    expect(says({ key: { is: "pasted", privateKey: "ssh-ed25519 AAAA" } })).toContain("BEGIN");
    expect(says({ key: { is: "pasted", privateKey: whole.slice(0, 50) } })).toContain("BEGIN");
  });
});
