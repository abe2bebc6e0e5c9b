/**
 * The web part: Next's server on the public port. Agents come through the same port; what they send goes on
 * to the gateway as a stream, untouched.
 */
import { createServer } from "node:http";
import next from "next";
import { hearTrouble } from "@/server/api/portal-status";
import { readPublicUrl } from "@/server/api/settings";
import { checkoutDirectory } from "@/server/checkout";
import { readPartConfig, reportReady, stopWithSupervisor } from "@/server/part-config";
import { forwardToGateway, isForGateway } from "./gateway-proxy";
import { boundConnections, prepareRequest, requestProblem } from "./request-bounds";
import { setSecurityHeaders } from "./security-headers";

const config = readPartConfig();
const trustProxy = process.env.GRIDLOOM_TRUST_PROXY === "1";

// next-auth reads where it is from here; without a public address it believes the request's host.
const publicUrl = readPublicUrl(process.env.GRIDLOOM_URL);
if (publicUrl) process.env.NEXTAUTH_URL = publicUrl;
else process.env.AUTH_TRUST_HOST = "1";

const app = next({
  dev: config.development,
  dir: checkoutDirectory(),
  hostname: config.host,
  port: config.port,
});
const handle = app.getRequestHandler();

const server = createServer({ maxHeaderSize: 32 * 1024, headersTimeout: 20_000 }, (request, response) => {
  prepareRequest(request, { trustProxy });
  if (isForGateway(request)) {
    forwardToGateway(request, response, config.gatewayPort);
    return;
  }
  setSecurityHeaders(request, response, { development: config.development });
  const problem = requestProblem(request);
  if (problem) {
    response.writeHead(problem.status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end(`${problem.sentence}\n`);
    return;
  }
  handle(request, response).catch((error: unknown) => {
    console.error(error);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  });
});
boundConnections(server);

process.on("message", hearTrouble);
stopWithSupervisor(async () => {
  server.close();
  // Cut, not ended: a browser takes an event stream that ends in order for complete, and one that breaks for a reason to
  // come back to the next process.
  server.closeAllConnections();
  await globalThis.gridloomBackend?.close();
});

await app.prepare();
if (config.development) server.on("upgrade", app.getUpgradeHandler());
await new Promise<void>((resolve, reject) => {
  server.once("error", reject);
  server.listen(config.port, config.host, resolve);
});
reportReady();
