import { describe, expect, it } from "vitest";
import { whileSignedIn } from "./subscription";

async function* untilAborted(signal: AbortSignal): AsyncGenerator<number, void, unknown> {
  yield 1;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

describe("a subscription", () => {
  it("ends with a refusal soon after its account was disabled", async () => {
    let enabled = true;
    const stream = whileSignedIn({ stillSignedIn: async () => enabled }, undefined, untilAborted, 5);
    expect((await stream.next()).value).toBe(1);
    enabled = false;
    await expect(stream.next()).rejects.toThrow("Please sign in first.");
  });

  it("outlives a moment in which nobody can be asked, and ends quietly when its reader leaves", async () => {
    const reader = new AbortController();
    let asked = 0;
    const unanswered = { stillSignedIn: () => Promise.reject(new Error(`the database is away, ${++asked}`)) };
    const stream = whileSignedIn(unanswered, reader.signal, untilAborted, 5);
    await stream.next();
    const end = stream.next();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(asked).toBeGreaterThan(1);
    reader.abort();
    expect((await end).done).toBe(true);
  });
});
