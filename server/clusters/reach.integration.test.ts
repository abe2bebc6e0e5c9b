/**
 * Ways to the portal that are not a plain address: a tunnel through the front end, for hosts that see nothing else (GW-12), and TLS with
 * an authority of the site's own. The hosts are boxes with networks of their own, so nothing else can have carried the work.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Box, uniqueWord } from "@/server/testbed/box-for-tests";
import { SshHost } from "@/server/testbed/ssh-hosts-for-tests";
import { ForeignHost } from "./foreign-host-for-tests";
import { GridForTests } from "./grid-for-tests";
import { sshRunner } from "./over-ssh";

const grid = new GridForTests();
let directory: string;
const cleanUp: (() => unknown)[] = [];

beforeAll(async () => {
  await grid.start();
  directory = mkdtempSync(join(tmpdir(), "gridloom-reach-"));
});
afterAll(async () => {
  await grid.stop();
  rmSync(directory, { recursive: true, force: true });
});
afterEach(async () => {
  for (const action of cleanUp.splice(0).reverse()) await action();
});

const succeeded = (run: string) =>
  expect.poll(() => grid.stateOf(run), { timeout: 90_000, interval: 100 }).toBe("succeeded");

describe("a cluster whose nodes see only their front end", () => {
  test("is reached through a tunnel that the portal opens there", async () => {
    const front = await SshHost.start({ network: {}, sshdLines: ["GatewayPorts clientspecified"] });
    cleanUp.push(() => front.stop());
    const node = await Box.start({ hostName: `node-${uniqueWord()}`, network: "own" });
    cleanUp.push(() => node.stop());
    joinNetworks(front.box, node);
    const gatewayPort = new URL(grid.parts.gatewayUrl).port;

    const runner = sshRunner(front.target);
    cleanUp.push(() => runner.close());
    const tunnel = await runner.openTunnel({
      direction: "from-cluster",
      listen: { host: "10.77.0.1", port: 0 },
      to: { host: "127.0.0.1", port: Number(gatewayPort) },
    });
    const reaches = async (box: Box, address: string) =>
      (await box.run(["curl", "-s", "-o", "/dev/null", "--max-time", "3", "-w", "%{http_code}", address])).stdout;
    expect(await reaches(node, `${grid.parts.gatewayUrl}/agent/v1/hello`)).toBe("000");
    expect(await reaches(node, `http://10.77.0.1:${tunnel.port}/agent/v1/hello`)).toBe("401");

    await grid.addCluster("closed");
    const { script, id } = await grid.agent({
      cluster: "closed",
      gatewayUrl: `http://10.77.0.1:${tunnel.port}`,
      workDirectory: join(directory, "node"),
    });
    const file = join(directory, "job.sh");
    writeFileSync(file, script, { mode: 0o600 });
    node.spawn(["sh", file]);
    const run = await grid.submit('task A -e "tr a-z A-Z < in > out; hostname >> out" -i in -o out\n', { in: "far\n" });
    await succeeded(run);
    expect(await grid.outputOf(run, "out")).toBe(`FAR\n${node.hostName}\n`);
    const { rows } = await grid.pool.query("SELECT agent FROM engine.attempt WHERE run = $1", [run]);
    expect(rows).toEqual([{ agent: id }]);
  });
});

/** A cable between the two: 10.77.0.1 is the front end, 10.77.0.2 the node. */
function joinNetworks(front: Box, node: Box): void {
  const name = `gl${uniqueWord()}`;
  const ip = (...words: string[]) => execFileSync("ip", words, { stdio: "pipe" });
  ip("link", "add", `${name}a`, "type", "veth", "peer", "name", `${name}b`);
  for (const [box, end, address] of [
    [front, `${name}a`, "10.77.0.1/24"],
    [node, `${name}b`, "10.77.0.2/24"],
  ] as const) {
    ip("link", "set", end, "netns", String(box.pid));
    const inside = (...words: string[]) =>
      execFileSync("nsenter", [`--target=${box.pid}`, "--net", "ip", ...words], { stdio: "pipe" });
    inside("addr", "add", address, "dev", end);
    inside("link", "set", end, "up");
  }
}

describe("a portal behind TLS", () => {
  test("agents trust the authority they were given, and no other", async () => {
    const [own, foreign] = [makeAuthority("own"), makeAuthority("foreign")];
    const server = await secureDoor(own);
    cleanUp.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const gatewayUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const host = new ForeignHost();
    cleanUp.push(() => host.remove());
    const wrong = await grid.agent({ gatewayUrl, caCertificates: foreign.certificate });
    expect(await host.run(wrong.script).ended).not.toBe(0);
    expect(host.log).toContain("the agent could not be fetched from");

    // With the agent already there, it is the agent itself that must refuse.
    const { script } = await grid.agent({ gatewayUrl, caCertificates: own.certificate });
    host.run(script);
    const run = await grid.submit('task A -e "cat in > out" -i in -o out\n', { in: "sealed\n" });
    await succeeded(run);
    expect(await grid.outputOf(run, "out")).toBe("sealed\n");
    const again = await grid.agent({ gatewayUrl, caCertificates: foreign.certificate });
    const { child, ended } = host.run(again.script);
    await expect
      .poll(() => host.log, { timeout: 30_000 })
      .toMatch(/cannot be reached.*(certificate|issuer|signature)/i);
    const { rows } = await grid.pool.query("SELECT state FROM engine.agent WHERE id = $1", [again.id]);
    expect(rows).toEqual([{ state: "expected" }]);
    child.kill("SIGTERM");
    await ended;
  });
});

interface Authority {
  certificate: string;
  serverKey: string;
  serverCertificate: string;
}

function makeAuthority(name: string): Authority {
  const at = (file: string) => join(directory, `${name}-${file}`);
  const openssl = (...words: string[]) => execFileSync("openssl", words, { stdio: "pipe" });
  const key = ["-newkey", "rsa:2048", "-nodes"];
  const forCa = ["-subj", `/CN=${name} authority`, "-keyout", at("ca.key"), "-out", at("ca.pem"), "-days", "2"];
  openssl("req", "-x509", ...key, ...forCa);
  openssl("req", ...key, "-subj", "/CN=portal", "-keyout", at("key"), "-out", at("csr"));
  writeFileSync(at("ext"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
  const signed = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial", "-extfile", at("ext"), "-days", "2"];
  openssl("x509", "-req", "-in", at("csr"), "-out", at("crt"), ...signed);
  const read = (file: string) => readFileSync(at(file), "utf8");
  return { certificate: read("ca.pem"), serverKey: read("key"), serverCertificate: read("crt") };
}

/** What a site puts before the portal. */
async function secureDoor({ serverKey, serverCertificate }: Authority): Promise<Server> {
  const gateway = new URL(grid.parts.gatewayUrl);
  const server = createServer({ key: serverKey, cert: serverCertificate }, (incoming, answer) => {
    const { method, headers, url } = incoming;
    const onward = request({ host: gateway.hostname, port: gateway.port, method, path: url, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
