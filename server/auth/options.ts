/**
 * next-auth's set-up: e-mail and password, and an OIDC issuer when one is configured. Sessions are signed
 * tokens in an httpOnly cookie that name an account and the session; `session.ts` looks both up.
 */
import { randomUUID } from "node:crypto";
import type { AuthOptions, Profile } from "next-auth";
import CredentialsProvider from "next-auth/providers/credentials";
import type { OAuthConfig } from "next-auth/providers/oauth";
import { z } from "zod";
import type { OidcSettings } from "@/server/api/settings";
import type { PortalDb } from "@/server/portal-db/client";
import { findByPassword, signInWithOidc } from "./accounts";
import { emailAddress } from "./rules";
import { endSession, sessionCookie, sessionSeconds } from "./session";
import { attemptSlowly, sweepFailures } from "./throttle";

export interface AuthRequest {
  address: string;
  /** The portal is reached over HTTPS, so its cookies must not travel without it. */
  secure: boolean;
}

export interface AuthParts {
  db: PortalDb;
  authSecret: string;
  oidc?: OidcSettings;
}

export const signInPage = "/sign-in";

/** One sentence for both cases: it must not tell who has an account. */
export const wrongPassword = "The e-mail or the password is wrong.";

export function authOptions({ db, authSecret, oidc }: AuthParts, request: AuthRequest): AuthOptions {
  return {
    secret: authSecret,
    session: { strategy: "jwt", maxAge: sessionSeconds },
    pages: { signIn: signInPage, error: signInPage },
    cookies: {
      sessionToken: {
        name: sessionCookie,
        options: { httpOnly: true, sameSite: "lax", path: "/", secure: request.secure },
      },
    },
    providers: [passwordProvider(db, request.address), ...(oidc ? [oidcProvider(oidc)] : [])],
    callbacks: {
      async signIn({ user, account, profile }) {
        if (account?.provider !== "oidc") return true;
        if (!oidc || !profile) return false;
        const result = await signInWithOidc(db, {
          issuer: oidc.issuer,
          ...personOf(profile, account.providerAccountId),
        });
        if (result.is === "refused") return `${signInPage}?error=${result.because}`;
        // From here on the person is their account here, not their name at the issuer.
        user.id = result.user.id;
        return true;
      },
      jwt({ token, user }) {
        // The account's id and the session's own: everything else is looked up, so nothing in the cookie can go stale.
        return user ? { sub: user.id, session: randomUUID() } : { sub: token.sub, session: token.session };
      },
      async session({ session, token }) {
        const account = await db.user.findFirst({
          where: { id: token.sub, disabled: false },
          select: { email: true, name: true },
        });
        return { ...session, user: account ?? undefined };
      },
    },
    events: {
      async signOut({ token }) {
        await endSession(db, token.session);
      },
    },
  };
}

const credentials = z.object({ email: emailAddress, password: z.string().max(1024) });

function passwordProvider(db: PortalDb, address: string) {
  return CredentialsProvider({
    name: "password",
    credentials: { email: { type: "email" }, password: { type: "password" } },
    async authorize(given) {
      const typed = credentials.safeParse(given);
      if (!typed.success) throw new Error(wrongPassword);
      const { email, password } = typed.data;
      const attempt = await attemptSlowly(db, { address, email });
      if (attempt.is === "wait") throw new Error(attempt.sentence);
      const user = await findByPassword(db, email, password);
      if (!user) {
        await sweepFailures(db);
        throw new Error(wrongPassword);
      }
      await attempt.succeeded();
      return { id: user.id, email: user.email, name: user.name };
    },
  });
}

const claims = z.object({
  sub: z.string().min(1),
  email: z.string().optional(),
  // Some issuers send the word instead of the value.
  email_verified: z.union([z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")]).optional(),
  name: z.string().optional(),
  preferred_username: z.string().optional(),
});

function oidcProvider(oidc: OidcSettings): OAuthConfig<Profile> {
  return {
    id: "oidc",
    name: oidc.name,
    type: "oauth",
    wellKnown: `${oidc.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    clientId: oidc.clientId,
    clientSecret: oidc.clientSecret,
    authorization: { params: { scope: "openid email profile" } },
    idToken: true,
    checks: ["pkce", "state", "nonce"],
    profile(profile) {
      const { sub, email, name, preferred_username } = claims.parse(profile);
      return { id: sub, email: email ?? null, name: name ?? preferred_username ?? null };
    },
  };
}

function personOf(profile: Profile, subject: string) {
  const { email, email_verified, name, preferred_username } = claims.parse(profile);
  return { subject, email, emailVerified: email_verified === true, name: name ?? preferred_username };
}
