"use client";
/** The policies of a run, to be read and, while it runs, changed (GB-2). What is typed counts when it is saved. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { draftOf, type PolicyDraft, readDraft, sameDraft } from "@/components/policies/policy-draft";
import { PolicyFields } from "@/components/policies/policy-fields";
import { Button } from "@/components/ui/button";
import { counted } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import type { RunDetail, RunOptions } from "@/server/api/views";

export function PoliciesTab({ run, over }: { run: RunDetail; over: boolean }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const saved = draftOf(run.settings.policies);
  /** Undefined: as saved. */
  const [typed, setTyped] = useState<PolicyDraft>();
  const draft = over ? saved : (typed ?? saved);
  const { policies, problems } = readDraft(draft);
  const changed = !sameDraft(draft, saved);
  const change = useMutation(
    trpc.runs.changePolicies.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries({ queryKey: trpc.runs.get.queryKey({ id: run.id }) });
        setTyped(undefined);
      },
    }),
  );
  const save = () => {
    if (changed && Object.keys(problems).length === 0) change.mutate({ id: run.id, policies });
  };

  return (
    <form
      aria-label="Policies of the run"
      className="grid gap-5 border bg-surface p-4"
      data-testid="policies"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {over ? (
        <Notice testId="policies-over">The run is over, so its policies can no longer be changed.</Notice>
      ) : (
        <p className="text-muted">
          Expressions over Host, Job, BOT (this run) and Queue; names alone are looked up in BOT, Job, Host and Queue,
          in that order. An empty field says nothing. What is under way stays; every later decision follows what you
          save.
        </p>
      )}
      <p className="text-[0.9rem] text-muted" data-testid="run-settings">
        {settingsLine(run.settings)}
      </p>
      <PolicyFields
        draft={draft}
        problems={problems}
        disabled={over || change.isPending}
        onChange={(next) => {
          change.reset();
          setTyped(next);
        }}
      />
      {change.error ? (
        <Notice kind="danger">
          <span className="whitespace-pre-line">{errorSentence(change.error)}</span>
        </Notice>
      ) : null}
      {over ? null : (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            type="submit"
            rank="primary"
            busy={change.isPending}
            disabled={!changed || change.isPending || Object.keys(problems).length > 0}
            data-testid="save-policies"
          >
            Save
          </Button>
          <Button
            onClick={() => {
              change.reset();
              setTyped(undefined);
            }}
            disabled={!changed || change.isPending}
            data-testid="reset-policies"
          >
            Reset to saved
          </Button>
          <span role="status" className="text-[0.9rem] text-muted" data-testid="policies-status">
            {change.isSuccess && !changed ? "Saved. Every later decision follows these policies." : ""}
            {changed && !change.isPending ? "Not saved yet." : ""}
          </span>
        </div>
      )}
    </form>
  );
}

/** What was said when the run was started, and stays. */
function settingsLine({ priority, retries, clustering }: RunOptions): string {
  const together =
    clustering && clustering.algorithm !== "none"
      ? `clustering ${clustering.algorithm}${clustering.granularity ? ` of at most ${counted(clustering.granularity, "task")}` : ""}`
      : "no clustering";
  return `Started with priority ${priority}, ${retries === 0 ? "no retries" : counted(retries, "retry", "retries")} and ${together}.`;
}
