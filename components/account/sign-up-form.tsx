"use client";
/** Make an account and sign in with it. What the server refuses is told beside the field it is about. */
import { useMutation } from "@tanstack/react-query";
import { signIn } from "next-auth/react";
import { type FormEvent, useRef, useState } from "react";
import { errorSentence, errorStatus, useTRPC } from "@/components/api/provider";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { useInBrowser } from "@/components/ui/use-in-browser";
import { fieldOfRefusal, type SignUpField } from "./refusal";

export function SignUpForm() {
  const trpc = useTRPC();
  const signUp = useMutation(trpc.account.signUp.mutationOptions());
  const [errors, setErrors] = useState<Partial<Record<SignUpField, string>>>({});
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  // A click before the page has come to life would submit the form the plain way.
  const alive = useInBrowser();

  function refuse(field: SignUpField, sentence: string) {
    setErrors({ [field]: sentence });
    setBusy(false);
    form.current?.querySelector<HTMLInputElement>(`#${field}`)?.focus();
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const account = {
      name: String(data.get("name") ?? "").trim(),
      email: String(data.get("email") ?? "").trim(),
      password: String(data.get("password") ?? ""),
    };
    if (account.name === "") return refuse("name", "Please tell your name.");
    if (account.email === "") return refuse("email", "Please give your e-mail.");
    setErrors({});
    setBusy(true);
    try {
      await signUp.mutateAsync(account);
    } catch (error) {
      const sentence = errorSentence(error);
      return refuse(fieldOfRefusal(errorStatus(error), sentence), sentence);
    }
    const answer = await signIn("credentials", {
      email: account.email,
      password: account.password,
      redirect: false,
    }).catch(() => undefined);
    window.location.assign(answer?.ok ? "/" : "/sign-in");
  }

  return (
    <form ref={form} onSubmit={submit} method="post" noValidate className="grid gap-4" data-testid="sign-up">
      <Field id="name" name="name" label="Name" autoComplete="name" autoFocus maxLength={200} error={errors.name} />
      <Field id="email" name="email" label="E-mail" type="email" autoComplete="username" error={errors.email} />
      <Field
        id="password"
        name="password"
        label="Password"
        type="password"
        autoComplete="new-password"
        hint="At least 10 characters. A few unrelated words are easy to keep and hard to guess."
        error={errors.password}
      />
      <Button type="submit" rank="primary" busy={busy} disabled={busy || !alive} className="h-9">
        Create account
      </Button>
    </form>
  );
}
