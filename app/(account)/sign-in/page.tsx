import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { safeNext } from "@/components/account/safe-next";
import { SignInForm } from "@/components/account/sign-in-form";
import { api, me } from "../../session";

export const metadata: Metadata = { title: "Sign in" };

export default async function SignInPage({
  searchParams,
}: {
  searchParams: Promise<{ next?: string; callbackUrl?: string; error?: string }>;
}) {
  const { next, callbackUrl, error } = await searchParams;
  const target = safeNext(next ?? callbackUrl);
  if (await me()) redirect(target);
  const caller = await api();
  if (await caller.account.needsFirstAccount()) {
    redirect(error ? `/sign-up?error=${encodeURIComponent(error)}` : "/sign-up");
  }
  const { oidcName } = await caller.account.signInOptions();
  return (
    <div className="grid gap-5 py-6">
      <h1>Sign in</h1>
      <SignInForm oidcName={oidcName} next={target} returnError={error} />
      <p className="text-muted">
        No account yet?{" "}
        <Link className="link text-ink" href="/sign-up">
          Create one
        </Link>
      </p>
    </div>
  );
}
