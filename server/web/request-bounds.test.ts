import { createServer, IncomingMessage } from "node:http";
import { connect, Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { addressHeader } from "@/server/api/address";
import { boundConnections, prepareRequest, requestProblem } from "./request-bounds";

function request(url: string, headers: Record<string, string>): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  message.url = url;
  Object.assign(message.headers, headers);
  return message;
}

describe("what a request says about itself", () => {
  const claims = {
    host: "grid.lab",
    [addressHeader]: "1.1.1.1",
    "x-forwarded-for": "2.2.2.2, 3.3.3.3",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
  };

  it("is not believed", () => {
    const message = request("/", claims);
    prepareRequest(message, { trustProxy: false });
    expect(message.headers).toEqual({
      host: "grid.lab",
      [addressHeader]: "unknown",
      "x-forwarded-host": "grid.lab",
      "x-forwarded-proto": "http",
    });
  });

  it("is believed of a trusted proxy, as far as the proxy itself saw it", () => {
    const message = request("/", claims);
    prepareRequest(message, { trustProxy: true });
    expect(message.headers[addressHeader]).toBe("3.3.3.3");
    expect(message.headers["x-forwarded-proto"]).toBe("https");
  });
});

describe("a body", () => {
  it("that is too large is refused, but not an upload, which has its own limit", () => {
    const large = { "content-length": String(100 * 1024 * 1024) };
    expect(requestProblem(request("/api/trpc/runs.start", large))?.status).toBe(413);
    expect(requestProblem(request("/api/upload?name=x", large))).toBeUndefined();
    expect(requestProblem(request("/api/trpc/runs.start", { "content-length": "1000" }))).toBeUndefined();
  });

  it("of unknown length is taken for uploads only", () => {
    const chunked = { "transfer-encoding": "chunked" };
    expect(requestProblem(request("/api/trpc/runs.start", chunked))?.status).toBe(411);
    expect(requestProblem(request("/api/upload?name=x", chunked))).toBeUndefined();
  });
});

describe("a connection on which nothing moves", () => {
  it("is closed, though its request is not complete", async () => {
    const server = createServer((message) => message.resume());
    boundConnections(server, 50);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (typeof address !== "object" || !address) throw new Error("no address");
    const socket = connect(address.port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
    await new Promise((resolve) => socket.on("error", resolve).on("close", resolve));
    server.close();
    expect(socket.destroyed).toBe(true);
  }, 5000);
});
