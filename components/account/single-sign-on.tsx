"use client";
/** Signing in through the organisation's own service, and what it may come back with. */
import { signIn } from "next-auth/react";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";

/** What the single sign-on route sends back with, in words. */
const returnErrors: Record<string, string> = {
  "unverified-email": "Your organisation has not verified your e-mail address, so it cannot be used here.",
  disabled: "This account is disabled. An admin can enable it again.",
  AccessDenied: "Signing in was refused.",
};

export function SingleSignOn({ name, next }: { name: string; next: string }) {
  return (
    <Button onClick={() => void signIn("oidc", { callbackUrl: next })} className="h-9" data-testid="sign-in-oidc">
      Sign in with {name}
    </Button>
  );
}

/** Why it came back without having signed in. */
export function SingleSignOnProblem({ code }: { code: string }) {
  return <Notice kind="danger">{returnErrors[code] ?? "Signing in did not work. Try again."}</Notice>;
}
