import { describe, expect, it } from "vitest";
import { emailAddress, passwordProblem } from "./rules";

describe("a password", () => {
  const email = "ada.lovelace@example.org";

  it.each([
    ["nine-char", "The password is too short: it needs at least 10 characters."],
    ["Ada.Lovelace@example.org", "The password must not be your e-mail address."],
    ["ada.lovelace", "The password must not be your e-mail address."],
    ["Password123", "This password is among the first that anyone would try. Choose another one."],
    ["aaaaaaaaaaaa", "This password is among the first that anyone would try. Choose another one."],
  ])("such as %s is refused with a sentence", (password, sentence) => {
    expect(passwordProblem(password, email)).toBe(sentence);
  });

  it("is counted in characters, not in bytes or UTF-16 units", () => {
    expect(passwordProblem("🧵🪡🧶🎛🧵", email)).toMatch(/too short/);
    expect(passwordProblem("žluťoučký kůň", email)).toBeUndefined();
  });
});

describe("an e-mail", () => {
  it("is the same account however it is spelled", () => {
    expect(emailAddress.parse(" Ada@Example.ORG ")).toBe("ada@example.org");
  });

  it("that is none is refused", () => {
    expect(emailAddress.safeParse("ada at example").success).toBe(false);
  });
});
