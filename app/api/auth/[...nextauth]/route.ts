/** Sign in, sign out, single sign-on: next-auth's own routes. */

import type { NextRequest } from "next/server";
import NextAuth from "next-auth";
import { backend } from "@/server/api/backend";
import { addressOf, isSecure } from "@/server/api/context";
import { authOptions } from "@/server/auth/options";

export const dynamic = "force-dynamic";

async function handler(request: NextRequest, context: { params: Promise<{ nextauth: string[] }> }): Promise<Response> {
  const { db, settings } = backend();
  const options = authOptions(
    { db, authSecret: settings.authSecret, oidc: settings.oidc },
    { address: addressOf(request.headers), secure: isSecure(request.headers, settings.publicUrl) },
  );
  return await NextAuth(request, context, options);
}

export { handler as GET, handler as POST };
