import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { GatewayClient } from "./gateway-client";
import { StubGateway, stubToken } from "./stub-gateway";
import { Transfer } from "./transfer";

describe("sending a file", () => {
  let gateway: StubGateway;
  let client: GatewayClient;
  let directory: string;
  beforeEach(async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    directory = await mkdtemp(join(tmpdir(), "gridloom-transfer-"));
    gateway = new StubGateway();
    await gateway.listen();
    client = new GatewayClient(gateway.url, stubToken);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    client.close();
    await gateway.close();
    await rm(directory, { recursive: true });
  });

  const send = async (answer: number, times: number) => {
    let left = times;
    gateway.onUpload = () => (left-- > 0 ? answer : undefined);
    const { sha256, size } = gateway.addFile("content");
    gateway.files.clear();
    const path = join(directory, "file");
    writeFileSync(path, "content");
    await new Transfer(client).upload(sha256, path, size, new AbortController().signal);
    return String(gateway.files.get(sha256));
  };

  it("waits as long as the portal's disk is full", async () => {
    expect(await send(507, 12)).toBe("content");
  });

  it("gives up when it is refused five times", async () => {
    await expect(send(500, 12)).rejects.toThrow("500");
  });

  it("goes on where an upload broke off", async () => {
    const content = Buffer.alloc(300_000, "abcdefg");
    const { sha256, size } = gateway.addFile(content);
    gateway.files.clear();
    gateway.breakUploadsAt = 100_000;
    const path = join(directory, "large");
    writeFileSync(path, content);
    await new Transfer(client).upload(sha256, path, size, new AbortController().signal);
    expect(gateway.files.get(sha256)?.equals(content)).toBe(true);
    const [, second] = gateway.requests.filter((line) => line.startsWith("PUT"));
    const from = Number(/bytes (\d+)-299999\/300000/.exec(second ?? "")?.[1]);
    expect(from).toBeGreaterThanOrEqual(100_000);
  });

  it("goes on where a download broke off, also one of an earlier agent", async () => {
    const content = Buffer.alloc(300_000, "abcdefg");
    const { sha256 } = gateway.addFile(content);
    gateway.breakDownloadsAt = 100_000;
    const path = join(directory, "large");
    await new Transfer(client).download(sha256, path);
    expect(readFileSync(path).equals(content)).toBe(true);
    expect(gateway.requests[0]).toBe(`GET ${sha256}`);
    expect(gateway.requests[1]).toMatch(/ bytes=[1-9]\d*-$/);
    writeFileSync(path, content.subarray(0, 250_000));
    await new Transfer(client).download(sha256, path);
    expect(readFileSync(path).equals(content)).toBe(true);
    expect(gateway.requests.at(-1)).toBe(`GET ${sha256} bytes=250000-`);
    writeFileSync(path, "something else altogether");
    await new Transfer(client).download(sha256, path);
    expect(readFileSync(path).equals(content)).toBe(true);
  });
});
