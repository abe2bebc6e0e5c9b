import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { LineWriter, onLines } from "./message-lines";

const sockets: { destroy(): void }[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function pair(): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const client = connect(address.port, "127.0.0.1");
  const [[accepted]] = await Promise.all([once(server, "connection"), once(client, "connect")]);
  sockets.push(client, accepted, { destroy: () => server.close() });
  return [client, accepted];
}

test("messages arrive whole and in order, however the bytes are cut", async () => {
  const [from, to] = await pair();
  const seen: unknown[] = [];
  onLines(to, (line) => seen.push(JSON.parse(line)));
  const text = `${JSON.stringify({ word: "Grüße \n ☃" })}\n\n${JSON.stringify([2])}\n`;
  for (const byte of Buffer.from(text)) {
    from.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const writer = new LineWriter<unknown>(from);
  for (let number = 0; number < 1000; number++) writer.send(number);
  await expect.poll(() => seen.length).toBe(1002);
  expect(seen.slice(0, 3)).toEqual([{ word: "Grüße \n ☃" }, [2], 0]);
  expect(seen.at(-1)).toBe(999);
});

test("a line without end is cut off with its connection", async () => {
  const [from, to] = await pair();
  const errors: Error[] = [];
  to.on("error", (error) => errors.push(error));
  from.on("error", () => undefined);
  onLines(to, () => undefined, 1000);
  from.write("x".repeat(5000));
  await expect.poll(() => to.destroyed).toBe(true);
  expect(errors[0]?.message).toContain("longer than 1000");
});
