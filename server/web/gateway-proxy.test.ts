import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { forwardToGateway } from "./gateway-proxy";

const servers: Server[] = [];

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

const portalBefore = (gateway: number) =>
  listen(createServer((request, response) => forwardToGateway(request, response, gateway)));

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe("what an agent sends", () => {
  it("reaches the gateway as it is, and the answer comes back", async () => {
    const gateway = await listen(
      createServer(async (request, response) => {
        const body = await text(request);
        response.writeHead(201, { "x-answer": "yes" });
        response.end(`${request.method} ${request.url} ${request.headers.authorization} ${body}`);
      }),
    );
    const portal = await portalBefore(gateway);
    const answer = await fetch(`http://127.0.0.1:${portal}/agent/v1/hello?x=1`, {
      method: "POST",
      headers: { authorization: "Bearer t" },
      body: "hällo",
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("x-answer")).toBe("yes");
    expect(await answer.text()).toBe("POST /agent/v1/hello?x=1 Bearer t hällo");
  });

  it("is passed on piece by piece: the gateway reads the first before the last is written", async () => {
    let first: (piece: string) => void = () => undefined;
    const seen = new Promise<string>((resolve) => {
      first = resolve;
    });
    const gateway = await listen(
      createServer((request, response) => {
        request.once("data", (piece: Buffer) => first(piece.toString()));
        request.on("end", () => response.end("done"));
      }),
    );
    const portal = await portalBefore(gateway);
    const sending = httpRequest({ host: "127.0.0.1", port: portal, method: "PUT", path: "/agent/v1/files/x" });
    const answered = new Promise<string>((resolve, reject) => {
      sending.on("error", reject);
      sending.on("response", (response) => text(response).then(resolve, reject));
    });
    sending.write("one");
    expect(await seen).toBe("one");
    sending.end("two");
    expect(await answered).toBe("done");
  });

  it("is dropped at the gateway when the agent goes away while it waits", async () => {
    let arrived: () => void = () => undefined;
    let dropped: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const gone = new Promise<void>((resolve) => {
      dropped = resolve;
    });
    const gateway = await listen(
      createServer((_request, response) => {
        response.on("close", () => dropped());
        arrived();
      }),
    );
    const portal = await portalBefore(gateway);
    const agent = new AbortController();
    const exchange = fetch(`http://127.0.0.1:${portal}/agent/v1/exchange`, { signal: agent.signal });
    await waiting;
    agent.abort();
    await expect(exchange).rejects.toThrow();
    await gone;
  });

  it("is answered with “try again” while the gateway is down", async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const answer = await fetch(`http://127.0.0.1:${await portalBefore(port)}/agent/v1/hello`, {
      method: "POST",
      body: "{}",
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("1");
  });
});
