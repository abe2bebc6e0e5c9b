import { describe, expect, it } from "vitest";
import { safeNext } from "./safe-next";

describe("where signing in leads", () => {
  it("is the page asked for", () => {
    expect(safeNext("/runs/1?tab=files")).toBe("/runs/1?tab=files");
    expect(safeNext(undefined)).toBe("/");
  });

  it("is never another site, nor the sign-in page again", () => {
    expect(safeNext("https://evil.example/x")).toBe("/x");
    expect(safeNext("//evil.example")).toBe("/");
    expect(safeNext("/\\evil.example")).toBe("/");
    expect(safeNext("http://h//evil.example")).toBe("/");
    expect(safeNext("/sign-in?next=/")).toBe("/");
    expect(safeNext("javascript:alert(1)")).toBe("/");
    expect(safeNext("javascript:javascript:alert(1)")).toBe("/");
    expect(safeNext("x:https://evil.example/phish")).toBe("/");
  });
});
