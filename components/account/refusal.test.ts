import { describe, expect, it } from "vitest";
import { fieldOfRefusal } from "./refusal";

describe("refusals of a sign-up", () => {
  it("go beside the field they are about", () => {
    expect(fieldOfRefusal(409, "There is already an account with this e-mail. Sign in instead.")).toBe("email");
    expect(fieldOfRefusal(400, "This does not look like an e-mail address.")).toBe("email");
    expect(fieldOfRefusal(400, "The password must not contain your e-mail.")).toBe("password");
    expect(fieldOfRefusal(400, "Please tell your name.")).toBe("name");
    expect(fieldOfRefusal(429, "Too many failed attempts. Wait 4 seconds and try again.")).toBe("password");
  });
});
