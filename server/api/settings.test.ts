import { describe, expect, it } from "vitest";
import { readBackendSettings } from "./settings";

const needed = {
  NODE_ENV: "test",
  DATABASE_URL: "postgres://x",
  GRIDLOOM_HOME: "/h",
  GRIDLOOM_AUTH_SECRET: "s",
} as const;

describe("the settings", () => {
  it("have a limit of 2048 MB for uploads unless another one is given", () => {
    expect(readBackendSettings(needed).maxUploadBytes).toBe(2048 * 1024 * 1024);
    expect(readBackendSettings({ ...needed, GRIDLOOM_MAX_UPLOAD_MB: "0.5" }).maxUploadBytes).toBe(512 * 1024);
    expect(() => readBackendSettings({ ...needed, GRIDLOOM_MAX_UPLOAD_MB: "much" })).toThrow(/number of megabytes/);
  });

  it("take a public address unless it names only this machine", () => {
    expect(readBackendSettings({ ...needed, GRIDLOOM_URL: "https://grid.lab" }).publicUrl).toBe("https://grid.lab");
    expect(readBackendSettings({ ...needed, GRIDLOOM_URL: "http://localhost:3000" }).publicUrl).toBeUndefined();
    expect(readBackendSettings({ ...needed, GRIDLOOM_URL: "http://127.0.0.1:3000" }).publicUrl).toBeUndefined();
  });

  it("have single sign-on only if all of it is given", () => {
    const oidc = { GRIDLOOM_OIDC_ISSUER: "https://id.lab", GRIDLOOM_OIDC_CLIENT_ID: "c" };
    expect(readBackendSettings(needed).oidc).toBeUndefined();
    expect(() => readBackendSettings({ ...needed, ...oidc })).toThrow(/needs all of/);
    const all = readBackendSettings({ ...needed, ...oidc, GRIDLOOM_OIDC_CLIENT_SECRET: "s" });
    expect(all.oidc).toEqual({ issuer: "https://id.lab", clientId: "c", clientSecret: "s", name: "id.lab" });
  });
});
