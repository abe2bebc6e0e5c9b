import { describe, expect, it } from "vitest";
import { inputDestination, outputDestination } from "@/core/workflow/file-names";
import { hasAllowedLength, nameTooLong } from "./file-name-length";
import { isTaskFileName } from "./protocol/agent";

const path = (part: string, parts: number) => Array.from({ length: parts }, () => part).join("/");

describe("the length of a file's name", () => {
  it("is counted in bytes of UTF-8", () => {
    expect(hasAllowedLength("a".repeat(255))).toBe(true);
    expect(hasAllowedLength("a".repeat(256))).toBe(false);
    expect(hasAllowedLength("語".repeat(85))).toBe(true);
    expect(hasAllowedLength("語".repeat(86))).toBe(false);
    expect(hasAllowedLength("🧬".repeat(63))).toBe(true);
    expect(hasAllowedLength("🧬".repeat(64))).toBe(false);
    expect(hasAllowedLength(path("a".repeat(204), 5))).toBe(true);
    expect(hasAllowedLength(`${path("a".repeat(204), 5)}b`)).toBe(false);
  });

  it("agrees with the encoder, lone surrogates included", () => {
    for (const letter of ["a", "é", "語", "🧬", "\ud800", "\udc00"]) {
      const fits = Math.floor(255 / new TextEncoder().encode(letter).length);
      expect(hasAllowedLength(letter.repeat(fits))).toBe(true);
      expect(hasAllowedLength(letter.repeat(fits + 1))).toBe(false);
    }
  });

  // Three bytes a letter: 1,019 characters that an index of PostgreSQL (2,704 bytes a row) cannot hold.
  it("keeps names the journal cannot index from ever being handed to an agent", () => {
    const name = path("語".repeat(84), 12);
    expect(name.length).toBeLessThanOrEqual(1024);
    expect(isTaskFileName(name)).toBe(false);
    expect(outputDestination(name)).toEqual({ is: "refused", reason: nameTooLong });
    expect(outputDestination("語".repeat(86))).toEqual({ is: "refused", reason: nameTooLong });
    expect(inputDestination(`/home/${"語".repeat(86)}`)).toEqual({ is: "refused", reason: nameTooLong });
  });
});
