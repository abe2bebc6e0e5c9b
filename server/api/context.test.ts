import { describe, expect, it } from "vitest";
import { isSameOrigin, isSecure } from "./context";

const from = (headers: Record<string, string>) => new Headers(headers);

describe("a request", () => {
  it("of the portal's own pages is told from one of another site", () => {
    expect(isSameOrigin(from({ host: "grid.lab:3000", origin: "http://grid.lab:3000" }))).toBe(true);
    expect(isSameOrigin(from({ host: "grid.lab:3000", origin: "http://evil.example" }))).toBe(false);
    expect(isSameOrigin(from({ host: "grid.lab:3000", origin: "http://grid.lab:4000" }))).toBe(false);
    expect(isSameOrigin(from({ host: "grid.lab", origin: "null" }))).toBe(false);
    expect(isSameOrigin(from({ host: "grid.lab", "sec-fetch-site": "cross-site" }))).toBe(false);
    expect(isSameOrigin(from({ host: "grid.lab", "sec-fetch-site": "same-site" }))).toBe(false);
  });

  it("of a program, which says neither, is taken", () => {
    expect(isSameOrigin(from({ host: "grid.lab" }))).toBe(true);
  });

  it("behind a proxy that hides the host counts by the public address", () => {
    const headers = from({ host: "10.0.0.7:3000", origin: "https://grid.lab" });
    expect(isSameOrigin(headers, "https://grid.lab")).toBe(true);
    expect(isSameOrigin(headers)).toBe(false);
  });

  it("is secure if the public address or the proxy says so", () => {
    expect(isSecure(from({}), "https://grid.lab")).toBe(true);
    expect(isSecure(from({ "x-forwarded-proto": "https" }))).toBe(true);
    expect(isSecure(from({ "x-forwarded-proto": "http" }))).toBe(false);
  });
});
