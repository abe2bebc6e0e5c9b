/** The real next-auth, over HTTP, with a cookie jar in the place of a browser. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import NextAuth from "next-auth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openPool, type Pool } from "@/server/journal/pool";
import { openPortalDb, type PortalDb } from "@/server/portal-db/client";
import { startTestDatabase, type TestDatabase } from "@/server/postgres/test-database";
import { createAccount } from "./accounts";
import { listen, startTestIssuer, stopServer, type TestIssuer } from "./issuer-for-tests";
import { authOptions, wrongPassword } from "./options";
import { currentUser, sessionCookie } from "./session";

const authSecret = "a secret for this test only";
const client = { id: "gridloom", secret: "client secret" };
const password = "loom and shuttle 42";

let database: TestDatabase;
let pool: Pool;
let db: PortalDb;
let issuer: TestIssuer;
let portal: Server;
let url: string;

beforeAll(async () => {
  database = await startTestDatabase();
  pool = openPool(database.url);
  db = openPortalDb(pool);
  issuer = await startTestIssuer(client);
  portal = createServer((request, response) => void serve(request, response));
  url = await listen(portal);
  process.env.AUTH_TRUST_HOST = "1";
});

afterAll(async () => {
  delete process.env.AUTH_TRUST_HOST;
  if (portal) await stopServer(portal);
  await issuer?.stop();
  await db?.$disconnect();
  if (pool && !pool.ended) await pool.end();
  await database?.stop();
});

beforeEach(async () => {
  await db.user.deleteMany();
  await db.signInFailure.deleteMany();
});

/** The portal's /api/auth as a plain Node server: next-auth's own handler with the portal's options. */
async function serve(request: IncomingMessage, response: ServerResponse) {
  const at = new URL(request.url ?? "/", url);
  const oidc = { issuer: issuer.url, clientId: client.id, clientSecret: client.secret, name: "Test issuer" };
  const handler = NextAuth(authOptions({ db, authSecret, oidc }, { address: "127.0.0.1", secure: false }));
  request.headers["x-forwarded-host"] = request.headers.host;
  request.headers["x-forwarded-proto"] = "http";
  const api = Object.assign(response, {
    status(code: number) {
      response.statusCode = code;
      return api;
    },
    json(value: unknown) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(value));
    },
    send(value: unknown) {
      response.end(typeof value === "string" ? value : JSON.stringify(value ?? ""));
    },
  });
  const query = { ...Object.fromEntries(at.searchParams), nextauth: at.pathname.split("/").slice(3) };
  const body = Object.fromEntries(new URLSearchParams(await text(request)));
  await handler(Object.assign(request, { query, body, cookies: parseCookies(request.headers.cookie ?? "") }), api);
}

function parseCookies(header: string): Record<string, string> {
  const pairs = header.split("; ").map((pair) => pair.split("="));
  return Object.fromEntries(pairs.map(([name, ...value]) => [name ?? "", decodeURIComponent(value.join("="))]));
}

class Browser {
  private readonly cookies = new Map<string, string>();
  readonly attributes = new Map<string, string>();

  async fetch(address: string, form?: Record<string, string>): Promise<Response> {
    const response = await fetch(new URL(address, url), {
      method: form ? "POST" : "GET",
      body: form && new URLSearchParams(form),
      headers: address.startsWith(issuer.url) ? {} : { cookie: this.header() },
      redirect: "manual",
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = cookie.split("; ");
      const [name = "", ...value] = pair.split("=");
      this.cookies.set(name, value.join("="));
      this.attributes.set(name, attributes.join("; "));
    }
    return response;
  }

  header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async csrfToken(): Promise<string> {
    const answer: { csrfToken: string } = await (await this.fetch("/api/auth/csrf")).json();
    return answer.csrfToken;
  }

  /** What next-auth's `signIn("credentials", { redirect: false })` does; the error as the page would show it. */
  async signIn(email: string, secret: string): Promise<string | null> {
    const csrfToken = await this.csrfToken();
    const form = { csrfToken, email, password: secret, json: "true" };
    const response = await this.fetch("/api/auth/callback/credentials", form);
    const answer: { url: string } = await response.json();
    return new URL(answer.url).searchParams.get("error");
  }

  /** Through the issuer and back; where it ends. */
  async signInWithOidc(): Promise<URL> {
    const csrfToken = await this.csrfToken();
    let response = await this.fetch("/api/auth/signin/oidc", { csrfToken, callbackUrl: `${url}/` });
    for (let hop = 0; hop < 3; hop++) {
      const location = response.headers.get("location");
      if (!location) throw new Error(`No redirect but ${response.status}: ${await response.text()}`);
      if (hop === 2) return new URL(location, url);
      response = await this.fetch(location);
    }
    throw new Error("unreachable");
  }

  user() {
    const headers = new Headers({ cookie: this.header() });
    return currentUser(headers, { db, settings: { authSecret } });
  }
}

describe("signing in with a password", () => {
  beforeEach(async () => {
    await createAccount(db, { email: "ada@example.org", name: "Ada", password });
  });

  it("gives a session that names the account, in a cookie scripts cannot read", async () => {
    const browser = new Browser();
    expect(await browser.signIn("Ada@Example.org ", password)).toBeNull();
    expect(await browser.user()).toMatchObject({ email: "ada@example.org", name: "Ada", role: "admin" });
    expect(browser.attributes.get(sessionCookie)).toMatch(/HttpOnly/);
    expect(browser.attributes.get(sessionCookie)).toMatch(/SameSite=Lax/i);
  });

  it("says the same for a wrong password and an unknown account, and lets nobody in", async () => {
    const browser = new Browser();
    expect(await browser.signIn("ada@example.org", "not the password")).toBe(wrongPassword);
    expect(await browser.signIn("nobody@example.org", password)).toBe(wrongPassword);
    expect(await browser.user()).toBeNull();
  });

  it("tells how long to wait after repeated failures, even if the password is right then", async () => {
    const browser = new Browser();
    for (let i = 0; i < 4; i++) await browser.signIn("ada@example.org", "not the password");
    expect(await browser.signIn("ada@example.org", password)).toMatch(/^Too many failed attempts\. Wait \d+ seconds?/);
  });

  it("ends at once for an account that is disabled, and shows a demotion at once", async () => {
    const browser = new Browser();
    await browser.signIn("ada@example.org", password);
    await db.user.updateMany({ data: { role: "scientist" } });
    expect(await browser.user()).toMatchObject({ role: "scientist" });
    await db.user.updateMany({ data: { disabled: true } });
    expect(await browser.user()).toBeNull();
  });

  it("cannot be sent from another site, which does not know the token", async () => {
    const browser = new Browser();
    await browser.csrfToken();
    await browser.fetch("/api/auth/callback/credentials", { csrfToken: "guessed", email: "ada@example.org", password });
    expect(await browser.user()).toBeNull();
  });

  it("ends by signing out", async () => {
    const browser = new Browser();
    await browser.signIn("ada@example.org", password);
    const stolen = browser.header();
    const asThief = () => currentUser(new Headers({ cookie: stolen }), { db, settings: { authSecret } });
    expect(await asThief()).toMatchObject({ email: "ada@example.org" });
    await browser.fetch("/api/auth/signout", { csrfToken: await browser.csrfToken(), json: "true" });
    expect(await browser.user()).toBeNull();
    expect(await asThief(), "a copy of the cookie").toBeNull();
    await browser.signIn("ada@example.org", password);
    expect(await browser.user()).toMatchObject({ email: "ada@example.org" });
  });
});

describe("single sign-on", () => {
  it("makes the first person the admin and the second a scientist", async () => {
    issuer.person = { sub: "1", email: "ada@example.org", email_verified: true, name: "Ada" };
    const ada = new Browser();
    expect((await ada.signInWithOidc()).pathname).toBe("/");
    expect(await ada.user()).toMatchObject({ email: "ada@example.org", name: "Ada", role: "admin" });
    issuer.person = { sub: "2", email: "bob@example.org", email_verified: true, name: "Bob" };
    const bob = new Browser();
    await bob.signInWithOidc();
    expect(await bob.user()).toMatchObject({ email: "bob@example.org", role: "scientist" });
  });

  it("leads to the account with the same, verified e-mail", async () => {
    const account = await createAccount(db, { email: "ada@example.org", name: "Ada", password });
    issuer.person = { sub: "3", email: "Ada@example.org", email_verified: true };
    const browser = new Browser();
    await browser.signInWithOidc();
    expect(await browser.user()).toMatchObject({ id: account?.id });
  });

  it("refuses an e-mail the issuer has not verified and says so on the sign-in page", async () => {
    await createAccount(db, { email: "ada@example.org", name: "Ada", password });
    issuer.person = { sub: "4", email: "ada@example.org", email_verified: false };
    const browser = new Browser();
    const end = await browser.signInWithOidc();
    expect(end.pathname + end.search).toBe("/sign-in?error=unverified-email");
    expect(await browser.user()).toBeNull();
  });
});
