import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { SignUpForm } from "@/components/account/sign-up-form";
import { Notice } from "@/components/ui/notice";
import { api, me } from "../../session";

export const metadata: Metadata = { title: "Create account" };

export default async function SignUpPage() {
  if (await me()) redirect("/");
  const first = await (await api()).account.needsFirstAccount();
  return (
    <div className="grid gap-5 py-6">
      <h1>Create account</h1>
      {first ? (
        <Notice testId="first-account">
          This creates the administrator. Accounts made later are scientists; the administrator decides who may use the
          clusters.
        </Notice>
      ) : null}
      <SignUpForm />
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
