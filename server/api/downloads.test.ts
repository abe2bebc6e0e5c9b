import { describe, expect, it } from "vitest";
import { contentDisposition } from "./downloads";

describe("the name of a download", () => {
  it("travels in UTF-8, with a plain stand-in beside it", () => {
    expect(contentDisposition("Ergebnis π.txt")).toBe(
      `attachment; filename="Ergebnis _.txt"; filename*=UTF-8''Ergebnis%20%CF%80.txt`,
    );
  });

  it("cannot break out of its header", () => {
    const header = contentDisposition('a"; filename="evil.html\r\nX: y\'(*)\ud800');
    expect(header).not.toMatch(/[\r\n]/);
    expect(header.match(/"/g)).toHaveLength(2);
    expect(header.split("''")[1]).not.toMatch(/['()*"]/);
  });
});
