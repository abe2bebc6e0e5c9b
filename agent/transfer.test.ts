import { writeFileSync } from "node:fs";
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
});
