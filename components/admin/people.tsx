"use client";
/** The accounts of the portal: who is an admin, and who may no longer sign in. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { Button } from "@/components/ui/button";
import { Confirm } from "@/components/ui/confirm";
import { Field } from "@/components/ui/field";
import { Moment } from "@/components/ui/moment";
import { Empty, Notice } from "@/components/ui/notice";
import { useInBrowser } from "@/components/ui/use-in-browser";
import type { PersonView } from "@/server/api/clusters/views";

export function People({ initial, me }: { initial: PersonView[]; me: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const alive = useInBrowser();
  const [search, setSearch] = useState("");
  const asked = search.trim() === "" ? {} : { search: search.trim() };
  const people = useQuery(
    trpc.people.list.queryOptions(asked, {
      placeholderData: keepPreviousData,
      ...(search.trim() === "" && { initialData: initial }),
    }),
  );
  const refresh = { onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.people.pathKey() }) };
  const setRole = useMutation(trpc.people.setRole.mutationOptions(refresh));
  const setDisabled = useMutation(trpc.people.setDisabled.mutationOptions(refresh));
  const busy = !alive || setRole.isPending || setDisabled.isPending;
  const problem = people.error ?? setRole.error ?? setDisabled.error;
  return (
    <div className="grid gap-4">
      <div className="max-w-sm">
        <Field
          id="search"
          label="Name or e-mail"
          value={search}
          maxLength={200}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      {problem ? <Notice kind="danger">{errorSentence(problem)}</Notice> : null}
      {people.data?.length === 0 ? <Empty>Nobody has these words in their name or e-mail.</Empty> : null}
      <ul className="grid border-t" aria-label="People">
        {people.data?.map((person) => (
          <li
            key={person.id}
            className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-b py-2"
            data-testid="person"
            data-email={person.email}
          >
            <span className="grid">
              <span className="flex flex-wrap gap-x-3">
                <span className="font-medium">{person.name}</span>
                <span className="label-caps self-center" data-testid="role">
                  {person.disabled ? `${person.role}, disabled` : person.role}
                </span>
              </span>
              <span className="break-all text-[0.9rem] text-muted">
                {person.email}, since <Moment at={person.createdAt} style="ago" />
              </span>
            </span>
            {person.id === me ? (
              <span className="text-[0.9rem] text-muted">you</span>
            ) : (
              <PersonActions
                person={person}
                busy={busy}
                onRole={(role) => setRole.mutate({ id: person.id, role })}
                onDisabled={(disabled) => setDisabled.mutate({ id: person.id, disabled })}
              />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function PersonActions({
  person,
  busy,
  onRole,
  onDisabled,
}: {
  person: PersonView;
  busy: boolean;
  onRole: (role: PersonView["role"]) => void;
  onDisabled: (disabled: boolean) => void;
}) {
  return (
    <span className="flex flex-wrap gap-2">
      <Button
        disabled={busy}
        onClick={() => onRole(person.role === "admin" ? "scientist" : "admin")}
        data-testid="change-role"
        aria-label={`${person.role === "admin" ? "Make a scientist of" : "Make an admin of"} ${person.name}`}
      >
        {person.role === "admin" ? "Make scientist" : "Make admin"}
      </Button>
      {person.disabled ? (
        <Button disabled={busy} onClick={() => onDisabled(false)} aria-label={`Enable ${person.name}`}>
          Enable
        </Button>
      ) : (
        <Confirm
          trigger={
            <Button rank="danger" disabled={busy} aria-label={`Disable ${person.name}`} data-testid="disable-person">
              Disable
            </Button>
          }
          title={`Disable the account of ${person.name}?`}
          action="Disable it"
          onConfirm={() => onDisabled(true)}
        >
          <p>They are signed out and cannot sign in. Their runs go on, and nothing of theirs is deleted.</p>
        </Confirm>
      )}
    </span>
  );
}
