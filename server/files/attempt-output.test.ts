import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AttemptOutput } from "./attempt-output";

const attempt = { run: "0198c0de-0000-7000-8000-000000000000", task: 3, ordinal: 1 };
let directory: string;
let output: AttemptOutput;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "gridloom-output-"));
  output = new AttemptOutput(directory);
});
afterEach(() => rm(directory, { recursive: true }));

const write = (offset: number, text: string, limit = 100) =>
  output.write(attempt, { stream: "stdout", offset, bytes: Buffer.from(text) }, limit);
const read = async (offset = 0) => (await output.read(attempt, "stdout", offset, 1000)).bytes.toString();

test("stretches that come twice or in another order give the same text", async () => {
  await write(0, "one ");
  await write(8, "three");
  await write(4, "two ");
  await write(4, "two ");
  expect(await read()).toBe("one two three");
  expect(await read(8)).toBe("three");
});

test("what lies beyond the limit is not stored", async () => {
  await write(0, "12345", 4);
  await write(5, "6", 4);
  expect(await output.read(attempt, "stdout", 0, 1000)).toMatchObject({ size: 4 });
  expect(await read()).toBe("1234");
});

test("an attempt that printed nothing has an empty output", async () => {
  expect(await output.read(attempt, "stderr", 0, 1000)).toEqual({ bytes: Buffer.alloc(0), size: 0 });
});
