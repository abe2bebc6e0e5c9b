import { describe, expect, it } from "vitest";
import { leadingContinuation, trailingIncomplete } from "./output-views";

const bytes = Buffer.from("aπ漢🧵");

describe("a stream cut anywhere", () => {
  it("keeps back exactly the bytes of a character that is not whole yet", () => {
    for (let end = 0; end <= bytes.length; end++) {
      const part = bytes.subarray(0, end);
      const whole = part.subarray(0, end - trailingIncomplete(part));
      expect(whole.toString("utf8")).not.toContain("\uFFFD");
      expect("aπ漢🧵".startsWith(whole.toString("utf8"))).toBe(true);
    }
  });

  it("begins at a character when its beginning is left out", () => {
    for (let start = 0; start <= bytes.length; start++) {
      const part = bytes.subarray(start);
      const whole = part.subarray(leadingContinuation(part));
      expect("aπ漢🧵".endsWith(whole.toString("utf8"))).toBe(true);
    }
  });

  it("does not wait for ever for bytes that are no text", () => {
    expect(trailingIncomplete(Buffer.from([0x80, 0x80, 0x80, 0x80]))).toBe(0);
  });
});
