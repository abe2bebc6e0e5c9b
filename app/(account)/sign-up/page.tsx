import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { SignUpForm } from "@/components/account/sign-up-form";
import { SingleSignOn, SingleSignOnProblem } from "@/components/account/single-sign-on";
import { Notice } from "@/components/ui/notice";
import { api, me } from "../../session";

export const metadata: Metadata = { title: "Create account" };

export default async function SignUpPage({ searchParams }: { searchParams: Promise<{ error?: string }> }) {
  if (await me()) redirect("/");
  const { error } = await searchParams;
  const caller = await api();
  const first = await caller.account.needsFirstAccount();
  const { oidcName } = await caller.account.signInOptions();
  return (
    <div className="grid gap-5 py-6">
      <h1>Create account</h1>
      {first ? (
        <Notice testId="first-account">
          This creates the administrator. Accounts made later are scientists; the administrator decides who may use the
          clusters.
        </Notice>
      ) : null}
      {error ? <SingleSignOnProblem code={error} /> : null}
      <SignUpForm />
      {oidcName ? <SingleSignOn name={oidcName} next="/" /> : null}
      {first ? null : (
        <p className="text-muted">
          Have an account?{" "}
          <Link className="link text-ink" href="/sign-in">
            Sign in
          </Link>
        </p>
      )}
    </div>
  );
}
