"use client";
/** Sign in with e-mail and password, or through the organisation's own sign-on when it is configured. */
import { signIn } from "next-auth/react";
import { type FormEvent, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { useInBrowser } from "@/components/ui/use-in-browser";

/** What the single sign-on route sends back with, in words. */
const returnErrors: Record<string, string> = {
  "unverified-email": "Your organisation has not verified your e-mail address, so it cannot be used here.",
  disabled: "This account is disabled. An admin can enable it again.",
  AccessDenied: "Signing in was refused.",
};

export function SignInForm({
  oidcName,
  next,
  returnError,
}: {
  oidcName: string | null;
  next: string;
  returnError?: string;
}) {
  const [error, setError] = useState<string>();
  const [emailError, setEmailError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const password = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLFormElement>(null);
  // A click before the page has come to life would submit the form the plain way.
  const alive = useInBrowser();

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const email = String(data.get("email") ?? "").trim();
    setEmailError(email === "" ? "Please give your e-mail." : undefined);
    if (email === "") return form.current?.querySelector<HTMLInputElement>("#email")?.focus();
    setBusy(true);
    setError(undefined);
    const answer = await signIn("credentials", {
      email,
      password: String(data.get("password") ?? ""),
      redirect: false,
    }).catch(() => undefined);
    if (answer?.ok && !answer.error) {
      // A full load: everything on the page depends on who is signed in.
      window.location.assign(next);
      return;
    }
    setBusy(false);
    setError(answer?.error ?? "The portal could not be reached. Check the connection and try again.");
    password.current?.focus();
    password.current?.select();
  }

  return (
    <form ref={form} onSubmit={submit} method="post" noValidate className="grid gap-4" data-testid="sign-in">
      {returnError ? (
        <Notice kind="danger">{returnErrors[returnError] ?? "Signing in did not work. Try again."}</Notice>
      ) : null}
      <Field id="email" name="email" label="E-mail" type="email" autoComplete="username" autoFocus error={emailError} />
      <Field
        ref={password}
        id="password"
        name="password"
        label="Password"
        type="password"
        autoComplete="current-password"
        error={error}
      />
      <Button type="submit" rank="primary" busy={busy} disabled={busy || !alive} className="h-9">
        Sign in
      </Button>
      {oidcName ? (
        <Button onClick={() => void signIn("oidc", { callbackUrl: next })} className="h-9" data-testid="sign-in-oidc">
          Sign in with {oidcName}
        </Button>
      ) : null}
    </form>
  );
}
