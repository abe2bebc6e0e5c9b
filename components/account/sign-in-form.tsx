"use client";
/** Sign in with e-mail and password, or through the organisation's own sign-on when it is configured. */
import { signIn } from "next-auth/react";
import { type FormEvent, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { useInBrowser } from "@/components/ui/use-in-browser";
import { SingleSignOn, SingleSignOnProblem } from "./single-sign-on";

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
      {returnError ? <SingleSignOnProblem code={returnError} /> : null}
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
      {oidcName ? <SingleSignOn name={oidcName} next={next} /> : null}
    </form>
  );
}
