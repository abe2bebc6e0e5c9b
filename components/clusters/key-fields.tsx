"use client";
/** A key to a cluster: made by the portal, which shows the public half to install, or pasted. What is pasted is never shown again. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useState } from "react";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Moment } from "@/components/ui/moment";
import { Notice } from "@/components/ui/notice";
import type { KeyDraft, KeyField, Problems } from "./form-draft";

const ways: Record<KeyDraft["way"], string> = {
  kept: "Keep the stored key",
  made: "The portal makes a key",
  pasted: "Paste a private key",
};

export function KeyFields({
  draft,
  problems,
  canKeep,
  onChange,
}: {
  draft: KeyDraft;
  problems: Problems<KeyField>;
  /** There is one that may stay. */
  canKeep: boolean;
  onChange: (draft: KeyDraft) => void;
}) {
  const set = (change: Partial<KeyDraft>) => onChange({ ...draft, ...change });
  return (
    <div className="grid gap-4">
      <fieldset className="flex flex-wrap gap-x-5 gap-y-1.5">
        <legend className="sr-only">Where the key comes from</legend>
        {(canKeep ? (["kept", "made", "pasted"] as const) : (["made", "pasted"] as const)).map((way) => (
          <label key={way} className="flex items-center gap-1.5">
            <input
              type="radio"
              name="key-way"
              className="accent-(--thread)"
              checked={draft.way === way}
              onChange={() => set({ way })}
              data-testid={`key-${way}`}
            />
            {ways[way]}
          </label>
        ))}
      </fieldset>
      {draft.way === "kept" ? null : (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            id="login"
            label="Account on the cluster"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={draft.login}
            error={problems.login}
            onChange={(event) => set({ login: event.target.value })}
          />
          <Field
            id="expires"
            label="Expires on"
            type="date"
            hint="Empty: it does not. Two weeks before, the portal begins to warn; after it, the key is not used."
            value={draft.expires}
            error={problems.expires}
            onChange={(event) => set({ expires: event.target.value })}
          />
        </div>
      )}
      {draft.way === "made" ? <MadeKey draft={draft} problem={problems.made} onChange={onChange} /> : null}
      {draft.way === "pasted" ? (
        <div className="grid gap-1">
          <label htmlFor="privateKey" className="text-[0.9rem] font-medium">
            Private key
          </label>
          <textarea
            id="privateKey"
            rows={6}
            value={draft.privateKey}
            spellCheck={false}
            autoComplete="off"
            placeholder="-----BEGIN OPENSSH PRIVATE KEY-----"
            aria-invalid={problems.privateKey ? true : undefined}
            aria-describedby={problems.privateKey ? "privateKey-hint privateKey-error" : "privateKey-hint"}
            onChange={(event) => set({ privateKey: event.target.value })}
            className={`resize-y rounded-md border bg-surface px-2.5 py-1.5 font-mono text-[0.8rem] ${problems.privateKey ? "border-danger" : "border-rule-strong"}`}
          />
          <p id="privateKey-hint" className="text-[0.83rem] text-faint">
            Without a passphrase. It is stored encrypted and never shown again, to nobody.
          </p>
          {problems.privateKey ? (
            <p id="privateKey-error" role="alert" className="text-[0.87rem] text-danger" data-testid="privateKey-error">
              {problems.privateKey}
            </p>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

function MadeKey({
  draft,
  problem,
  onChange,
}: {
  draft: KeyDraft;
  problem: string | undefined;
  onChange: (draft: KeyDraft) => void;
}) {
  const trpc = useTRPC();
  const make = useMutation(trpc.keys.make.mutationOptions({ onSuccess: (made) => onChange({ ...draft, made }) }));
  const waiting = useQuery(trpc.keys.made.queryOptions());
  const [copied, setCopied] = useState(false);
  const { made } = draft;
  const [last] = waiting.data ?? [];
  return (
    <div className="grid gap-2">
      {make.error ? <Notice kind="danger">{errorSentence(make.error)}</Notice> : null}
      {made ? (
        <div className="grid gap-1.5">
          <p className="text-[0.93rem]">
            Add this line to <code className="font-mono text-[0.85rem]">~/.ssh/authorized_keys</code> of the account:
          </p>
          <code
            className="block break-all border bg-sunken px-2.5 py-1.5 font-mono text-[0.8rem]"
            data-testid="public-key"
          >
            {made.publicKey}
          </code>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <Button
              onClick={() => {
                navigator.clipboard?.writeText(made.publicKey).then(
                  () => setCopied(true),
                  () => setCopied(false),
                );
              }}
            >
              <Copy size={14} aria-hidden="true" /> {copied ? "Copied" : "Copy"}
            </Button>
            <span className="break-all font-mono text-[0.8rem] text-muted">{made.fingerprint}</span>
          </div>
        </div>
      ) : (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <Button
            onClick={() => make.mutate()}
            disabled={make.isPending}
            busy={make.isPending}
            data-testid="make-key"
            aria-describedby={problem ? "made-error" : undefined}
          >
            Make a key
          </Button>
          <span className="text-[0.88rem] text-muted">
            Its private half stays on the portal; you install the public one.{" "}
            {last ? (
              <button type="button" className="link" onClick={() => onChange({ ...draft, made: last })}>
                Use the one made <Moment at={last.createdAt} style="ago" />
              </button>
            ) : null}
          </span>
        </div>
      )}
      {problem ? (
        <p id="made-error" role="alert" className="text-[0.87rem] text-danger" data-testid="made-error">
          {problem}
        </p>
      ) : null}
    </div>
  );
}
