import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTaskFileName } from "@/core/protocol/agent";
import { inputDestination, outputDestination } from "./file-names";

describe("destinations", () => {
  it("are relative, without empty and dot components", () => {
    expect(outputDestination("./a//b.txt")).toEqual({ is: "inside", name: "a/b.txt", absolute: false });
    expect(outputDestination("my file.txt")).toMatchObject({ name: "my file.txt" });
  });

  it.each(["/etc/passwd", "../x", "a/../../x", "..", ".", "a/", "C:\\x\\y", "\\\\server\\share\\x", "a\0b"])(
    "refuse %j as an output",
    (name) => {
      expect(outputDestination(name).is).toBe("refused");
    },
  );

  it("stage an absolute input under its last component", () => {
    expect(inputDestination("/home/me/data.txt")).toEqual({ is: "inside", name: "data.txt", absolute: true });
    expect(inputDestination("C:\\data\\x.dat")).toMatchObject({ name: "x.dat", absolute: true });
    expect(inputDestination("/")).toMatchObject({ is: "refused" });
    expect(inputDestination("/a/..")).toMatchObject({ is: "refused" });
    expect(inputDestination("../x")).toMatchObject({ is: "refused" });
  });

  it("are names an agent would create, whatever was written", () => {
    const part = fc.oneof(fc.constantFrom("..", ".", "", "a", "b.txt", "\\", "C:", "~"), fc.string());
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), fc.boolean(), (parts, asInput) => {
        const written = parts.join("/");
        const destination = asInput ? inputDestination(written) : outputDestination(written);
        if (destination.is === "inside") expect(isTaskFileName(destination.name)).toBe(true);
      }),
    );
  });
});
