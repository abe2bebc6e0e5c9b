/**
 * A small OpenID Connect issuer on loopback: discovery, authorisation (which asks nobody and says yes), token, keys. It checks
 * the client's secret, its PKCE proof and the one-time use of codes, so a client that leaves those out fails.
 */
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface Person {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
}

export interface TestIssuer {
  url: string;
  /** Who is signed in at the issuer from now on. */
  person: Person;
  stop(): Promise<void>;
}

interface Grant {
  challenge: string;
  redirect: string;
  nonce?: string;
  person: Person;
}

const keyId = "test-key";

export async function startTestIssuer(client: { id: string; secret: string }): Promise<TestIssuer> {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const grants = new Map<string, Grant>();
  const issuer: TestIssuer = { url: "", person: { sub: "1" }, stop: () => stopServer(server) };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", issuer.url);
    const json = (value: unknown, status = 200) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json(discovery(issuer.url));
      case "/keys":
        return json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: keyId, use: "sig", alg: "RS256" }] });
      case "/authorize": {
        const code = randomUUID();
        const redirect = url.searchParams.get("redirect_uri") ?? "";
        grants.set(code, {
          challenge: url.searchParams.get("code_challenge") ?? "",
          redirect,
          nonce: url.searchParams.get("nonce") ?? undefined,
          person: issuer.person,
        });
        const back = new URL(redirect);
        back.searchParams.set("code", code);
        back.searchParams.set("state", url.searchParams.get("state") ?? "");
        response.writeHead(302, { location: back.href });
        return response.end();
      }
      case "/token":
        tokenFor(request).then(
          (claims) => json({ access_token: randomUUID(), token_type: "Bearer", id_token: signed(claims) }),
          (error: unknown) => json({ error: "invalid_grant", error_description: String(error) }, 400),
        );
        return;
      default:
        return json({ error: "not_found" }, 404);
    }
  });

  async function tokenFor(request: IncomingMessage) {
    const form = new URLSearchParams(await text(request));
    // RFC 6749, 2.3.1: both are form-encoded before they go into the header.
    const encode = (value: string) => new URLSearchParams({ value }).toString().slice("value=".length);
    const basic = Buffer.from(`${encode(client.id)}:${encode(client.secret)}`).toString("base64");
    if (request.headers.authorization !== `Basic ${basic}`) throw new Error("wrong client");
    const code = form.get("code") ?? "";
    const grant = grants.get(code);
    grants.delete(code);
    if (!grant) throw new Error("unknown code");
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (proof !== grant.challenge) throw new Error("wrong proof");
    if (form.get("redirect_uri") !== grant.redirect) throw new Error("wrong redirect");
    const now = Math.floor(Date.now() / 1000);
    return { ...grant.person, iss: issuer.url, aud: client.id, iat: now, exp: now + 60, nonce: grant.nonce };
  }

  function signed(claims: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const body = `${part({ alg: "RS256", kid: keyId, typ: "JWT" })}.${part(claims)}`;
    return `${body}.${sign("sha256", Buffer.from(body), privateKey).toString("base64url")}`;
  }

  issuer.url = await listen(server);
  return issuer;
}

function discovery(url: string) {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    code_challenge_methods_supported: ["S256"],
  };
}

export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://127.0.0.1:${address.port}`;
}

export async function stopServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
