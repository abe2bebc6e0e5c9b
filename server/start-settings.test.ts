import { describe, expect, it } from "vitest";
import { readSettings } from "./start-settings";

const read = (environment: Record<string, string>) => readSettings({ NODE_ENV: "test", ...environment });

describe("readSettings", () => {
  it("leaves out what is not set or empty", () => {
    expect(read({ PORT: "", DATABASE_URL: "" })).toEqual({ development: false });
  });

  it("takes whole numbers for PORT and GRIDLOOM_LOCAL_SLOTS", () => {
    expect(read({ PORT: "8080", GRIDLOOM_LOCAL_SLOTS: "4" })).toMatchObject({ port: 8080, slots: 4 });
  });

  it.each<Record<string, string>>([
    { PORT: "web" },
    { PORT: "70000" },
    { PORT: "-1" },
    { GRIDLOOM_LOCAL_SLOTS: "1.5" },
    { GRIDLOOM_URL: "gridloom.example.org" },
  ])("refuses %o with a sentence that names the variable and its value", (environment) => {
    const [name, value] = Object.entries(environment)[0] ?? [];
    expect(() => read(environment)).toThrow(new RegExp(`${name} is “${value}”`));
  });
});
