import { describe, expect, it } from "vitest";
import { draftOf, emptyCluster, emptyKey, readCluster, readKey, shortNameOf, whyNotSave } from "./form-draft";

const filled = {
  ...emptyCluster,
  id: "fermi",
  name: "Fermi",
  host: "front.example.org",
  memoryGb: "2.5",
  wallHours: "0.5",
  queue: "short",
  workDirectory: " /scratch ",
  environment: "SLURM_CONF=/etc/slurm/slurm.conf\nPATH=/opt/slurm/bin:/usr/bin",
};

describe("the form of a cluster", () => {
  it("becomes a registration, and the registration the form again", () => {
    const { registration, problems } = readCluster(filled, false);
    expect(problems).toEqual({});
    expect(registration).toMatchObject({
      address: { host: "front.example.org", port: 22 },
      queue: "short",
      settings: { memoryBytesPerAgent: 2_500_000_000, wallSeconds: 1800, workDirectory: "/scratch" },
    });
    expect(registration && draftOf("fermi", registration)).toEqual({ ...filled, workDirectory: "/scratch" });
  });

  it("says each problem at its field", () => {
    const { registration, problems } = readCluster(
      {
        ...filled,
        id: "Fermi",
        name: "",
        host: "a b",
        port: "x",
        wallHours: "",
        maxAgents: "-1",
        memoryGb: "much",
        environment: "SLURM CONF",
      },
      false,
    );
    expect(registration).toBeUndefined();
    expect(Object.keys(problems).sort()).toEqual([
      "environment",
      "host",
      "id",
      "maxAgents",
      "memoryGb",
      "name",
      "port",
      "wallHours",
    ]);
  });

  it("forgets what does not apply on the portal's own machine", () => {
    const { registration } = readCluster(
      { ...filled, where: "here", host: "", accountPolicy: "own", reach: "tunnel" },
      false,
    );
    expect(registration).toMatchObject({ address: null, accountPolicy: "service", settings: { reach: "direct" } });
  });

  it("is not stored before a test showed the host's key", () => {
    expect(whyNotSave(filled)).toContain("Test it first");
    expect(whyNotSave({ ...filled, hostKey: "ssh-ed25519 AAAA" })).toBeUndefined();
    expect(whyNotSave({ ...filled, where: "here" })).toBeUndefined();
  });

  it("suggests a short name", () => {
    expect(shortNameOf("Fermi at CNAF")).toBe("fermi-at-cnaf");
    expect(shortNameOf("2. Zürich (Ost)")).toBe("zurich-ost");
  });
});

describe("the form of a key", () => {
  it("asks for what is missing", () => {
    expect(Object.keys(readKey(emptyKey).problems).sort()).toEqual(["login", "made"]);
    expect(Object.keys(readKey({ ...emptyKey, way: "pasted" }).problems).sort()).toEqual(["login", "privateKey"]);
    expect(readKey({ ...emptyKey, way: "kept" })).toEqual({ credential: undefined, problems: {} });
  });

  it("lasts to the end of the day it names", () => {
    const made = { id: "7b0c8a1e-52c9-4e4a-9a37-1f3c8f2f9d11", publicKey: "", fingerprint: "", createdAt: new Date(0) };
    const { credential } = readKey({ ...emptyKey, login: "ada", made, expires: "2030-01-31" });
    expect(credential?.expiresAt).toEqual(new Date(2030, 0, 31, 23, 59, 59));
  });
});
