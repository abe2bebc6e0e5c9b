import { expect, test } from "vitest";
import { askedOf, readQuestion } from "./question";

test("an address without a question asks nothing", () => {
  expect(readQuestion({})).toBeUndefined();
});

test("a question is read from the address, and what makes no sense in it is left out", () => {
  expect(readQuestion({ for: " out.7 ", by: "file", state: "ready" })).toEqual({
    by: "file",
    text: "out.7",
    state: "ready",
    all: false,
  });
  expect(readQuestion({ for: ["a", "b"], by: "colour", state: "purple", all: "1" })).toEqual({
    by: "task",
    text: "a",
    all: true,
  });
});

test("a run is asked for by its id or by part of its name", () => {
  const id = "0b0e5a5e-3d0a-4c55-9a51-7a6f0a3a9f10";
  expect(askedOf({ by: "run", text: id, all: false })).toEqual({ run: id });
  expect(askedOf({ by: "run", text: "docking", all: false })).toEqual({ runName: "docking" });
  expect(askedOf({ by: "host", text: "", state: "running", all: false })).toEqual({ state: "running" });
});
