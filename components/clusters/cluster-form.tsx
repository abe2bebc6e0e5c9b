"use client";
/** Registering a cluster, or changing one: say where it is, give a key, test it, save it. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type FormEvent, useRef, useState } from "react";
import { errorSentence, useTRPC, useTRPCClient } from "@/components/api/provider";
import { Button, ButtonLink } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { SelectField } from "@/components/ui/select-field";
import { useInBrowser } from "@/components/ui/use-in-browser";
import {
  type CredentialDraft,
  type Registration,
  registrableDrivers,
  untriedDrivers,
  untriedSentence,
} from "@/core/clusters/registration";
import type { ClusterDetail } from "@/server/api/clusters/views";
import { Part } from "./cluster-form-part";
import {
  type ClusterDraft,
  type DraftField,
  draftOf,
  emptyCluster,
  emptyKey,
  type KeyDraft,
  readCluster,
  readKey,
  shortNameOf,
  whyNotSave,
} from "./form-draft";
import { KeyFields } from "./key-fields";
import { LimitFields } from "./limit-fields";
import { TestSteps } from "./test-steps";
import { useTest } from "./use-test";
import { driverWords, policyWords } from "./words";

export function ClusterForm({ cluster }: { cluster?: ClusterDetail }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const queryClient = useQueryClient();
  const alive = useInBrowser();
  const stored = cluster?.registration ?? null;
  const [draft, setDraft] = useState<ClusterDraft>(() =>
    cluster && stored ? draftOf(cluster.id, stored) : emptyCluster,
  );
  const storedKey = stored?.accountPolicy === "own" ? (cluster?.myKey ?? null) : (cluster?.serviceKey ?? null);
  const keyIsKeepable = storedKey !== null && (draft.accountPolicy === "own") === (stored?.accountPolicy === "own");
  const [typedKey, setKey] = useState<KeyDraft>({ ...emptyKey, way: storedKey ? "kept" : "made" });
  const key: KeyDraft = typedKey.way === "kept" && !keyIsKeepable ? { ...typedKey, way: "made" } : typedKey;
  const [tried, setTried] = useState(false);
  const [saved, setSaved] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const testedWith = useRef("");

  const read = readCluster(draft, cluster !== undefined);
  const needsKey = draft.where === "there";
  const readOfKey = needsKey ? readKey(key) : { credential: undefined, problems: {} };
  const wrong = Object.keys(read.problems).length + Object.keys(readOfKey.problems).length;
  const problems = tried ? read.problems : {};

  const test = useTest((view) => {
    if (view.hostKey) setDraft((now) => ({ ...now, hostKey: view.hostKey?.line ?? null }));
  });
  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.clusters.pathKey() });
  const add = useMutation(
    trpc.clusters.add.mutationOptions({
      onSuccess: async (_, { id }) => {
        await refresh();
        router.push(`/clusters/${id}`);
      },
    }),
  );
  const update = useMutation(
    trpc.clusters.update.mutationOptions({
      onSuccess: async () => {
        setSaved(true);
        setTried(false);
        setKey({ ...emptyKey, way: "kept" });
        await refresh();
      },
    }),
  );
  const saving = add.isPending || update.isPending;
  const saveProblem = add.error ?? update.error;

  /** A change after a test makes it a test of something else. */
  function set(change: Partial<ClusterDraft>) {
    const elsewhere = "host" in change || "port" in change || "where" in change;
    setDraft((now) => ({ ...now, ...change, ...(elsewhere && { hostKey: null }) }));
    if (elsewhere || "driver" in change || "queue" in change) test.forget();
    setSaved(false);
  }
  function setName(name: string) {
    const follows = cluster === undefined && draft.id === shortNameOf(draft.name);
    set({ name, ...(follows && { id: shortNameOf(name) }) });
  }

  /** What is to be sent, or undefined with the cursor in the first field that is wrong. */
  function checked() {
    setTried(true);
    if (wrong > 0 || !read.registration) {
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      return undefined;
    }
    return { registration: read.registration, credential: readOfKey.credential };
  }
  function runTest() {
    const request = checked();
    if (!request) return;
    testedWith.current = whatIsTested(request);
    test.start(() => client.clusters.test.mutate({ ...request, ...(cluster && { id: cluster.id }) }));
  }
  function save(event: FormEvent) {
    event.preventDefault();
    const request = checked();
    if (!request || whyNotSave(draft)) return;
    // The outcome is kept with the key only if it is that of this very key.
    const { view } = test;
    const same = view !== undefined && view.ok !== null && testedWith.current === whatIsTested(request);
    const complete = { ...request, ...(same && { test: view.id }) };
    if (cluster) update.mutate({ id: cluster.id, ...complete });
    else add.mutate({ id: draft.id, ...complete });
  }

  const input = (name: DraftField & ("id" | "name" | "host" | "port" | "queue"), label: string, hint?: string) => (
    <Field
      id={name}
      label={label}
      {...(hint && { hint })}
      autoComplete="off"
      spellCheck={false}
      value={draft[name]}
      error={problems[name]}
      onChange={(event) => (name === "name" ? setName(event.target.value) : set({ [name]: event.target.value }))}
    />
  );
  const notYet = whyNotSave(draft);
  return (
    <form
      ref={form}
      onSubmit={save}
      noValidate
      className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(20rem,28rem)]"
      data-testid="cluster-form"
    >
      <div className="grid content-start gap-7">
        <Part title="The cluster">
          <div className="grid gap-4 sm:grid-cols-2">
            {input("name", "Name")}
            {cluster ? (
              <div className="grid content-start gap-1">
                <p className="text-[0.9rem] font-medium">Short name</p>
                <p className="py-1.5 font-mono text-[0.9rem]">{cluster.id}</p>
              </div>
            ) : (
              input("id", "Short name", `In expressions: Grid == "${draft.id || "fermi"}". It cannot be changed later.`)
            )}
            <SelectField
              id="driver"
              label="Agents are started by"
              value={draft.driver}
              options={registrableDrivers.map((driver) => ({
                value: driver,
                label: untriedDrivers.includes(driver)
                  ? `${driverWords[driver].title} (${untriedSentence})`
                  : driverWords[driver].title,
              }))}
              hint={driverWords[draft.driver].about}
              onChange={(driver) => set({ driver, ...(driver === "ssh" && { where: "there" }) })}
            />
            {draft.driver === "ssh"
              ? null
              : input("queue", "Queue or partition", "Empty: the one the cluster chooses itself.")}
          </div>
          {untriedDrivers.includes(draft.driver) ? (
            <Notice kind="caution" testId="untried">
              The commands for {driverWords[draft.driver].title} follow its documentation and are {untriedSentence}.
              Test before you rely on it.
            </Notice>
          ) : null}
        </Part>

        <Part title="Where its commands run">
          {draft.driver === "ssh" ? null : (
            <fieldset className="flex flex-wrap gap-x-5 gap-y-1.5">
              <legend className="sr-only">Where its commands run</legend>
              {(["there", "here"] as const).map((where) => (
                <label key={where} className="flex items-center gap-1.5">
                  <input
                    type="radio"
                    name="where"
                    className="accent-(--thread)"
                    checked={draft.where === where}
                    onChange={() => set({ where })}
                    data-testid={`where-${where}`}
                  />
                  {where === "there" ? "On its front end, over SSH" : "On the portal's own machine"}
                </label>
              ))}
            </fieldset>
          )}
          {draft.where === "there" ? (
            <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_7rem]">
              {input("host", draft.driver === "ssh" ? "Host" : "Front end")}
              {input("port", "SSH port")}
            </div>
          ) : (
            <p className="text-[0.93rem] text-muted">
              The scheduler's commands must be installed on the portal's machine. Jobs run under the portal's account,
              so only administrators may use the cluster.
            </p>
          )}
        </Part>

        {draft.where === "there" ? (
          <Part title="Whose account">
            <div className="grid gap-4 sm:grid-cols-2">
              <SelectField
                id="accountPolicy"
                label="It is used with"
                value={draft.accountPolicy}
                options={(["own", "service", "either"] as const).map((value) => ({
                  value,
                  label: policyWords[value].title,
                }))}
                hint={policyWords[draft.accountPolicy].about}
                error={problems.accountPolicy}
                onChange={(accountPolicy) => set({ accountPolicy })}
              />
              <SelectField
                id="access"
                label="Who may use it"
                value={draft.access}
                options={[
                  { value: "everyone", label: "Everyone" },
                  { value: "admins", label: "Admins only" },
                ]}
                onChange={(access) => set({ access })}
              />
            </div>
            <h3 className="mt-1 text-[0.9rem] font-medium">
              {draft.accountPolicy === "own" ? "Your own key, also for the test" : "The service account's key"}
            </h3>
            {keyIsKeepable && storedKey && key.way === "kept" ? (
              <p className="text-[0.93rem] text-muted">
                Stored: <span className="text-ink">{storedKey.login}</span>,{" "}
                <code className="break-all font-mono text-[0.82rem]">{storedKey.fingerprint}</code>
              </p>
            ) : null}
            <KeyFields
              draft={key}
              problems={tried ? readOfKey.problems : {}}
              canKeep={keyIsKeepable}
              onChange={(next) => {
                setKey(next);
                setSaved(false);
              }}
            />
          </Part>
        ) : null}

        <LimitFields draft={draft} problems={problems} onChange={set} />
      </div>

      <aside aria-label="Test and save" className="grid content-start gap-4 lg:sticky lg:top-4 lg:self-start">
        <div className="grid gap-1">
          <h2>Test</h2>
          <p className="text-[0.93rem] text-muted">
            Connects, looks for the scheduler, submits a small job and reads it back. Nothing is stored.
          </p>
        </div>
        {tried && wrong > 0 ? (
          <Notice kind="danger" testId="form-problems">
            {wrong === 1 ? "One field needs another look." : `${wrong} fields need another look.`}
          </Notice>
        ) : null}
        <TestSteps test={test} />
        {test.view?.hostKey || draft.hostKey === null || !cluster ? null : (
          <StoredHostKey hostKey={draft.hostKey} onForget={() => set({ hostKey: null })} />
        )}
        <div className="flex flex-wrap gap-2">
          <Button onClick={runTest} busy={test.running} disabled={test.running || !alive} data-testid="run-test">
            {test.view || test.problem ? "Test again" : "Test"}
          </Button>
          <Button
            type="submit"
            rank="primary"
            busy={saving}
            disabled={saving || test.running || !alive || notYet !== undefined}
            aria-describedby={notYet ? "not-yet" : undefined}
            data-testid="save-cluster"
          >
            {cluster ? "Save" : "Register it"}
          </Button>
          {cluster ? null : (
            <ButtonLink rank="quiet" href="/clusters">
              Cancel
            </ButtonLink>
          )}
        </div>
        {notYet ? (
          <p id="not-yet" className="text-[0.88rem] text-muted">
            {notYet}
          </p>
        ) : null}
        {test.view?.ok === false && !notYet ? (
          <p className="text-[0.88rem] text-muted">The test did not go well. It can be stored all the same.</p>
        ) : null}
        {saveProblem ? (
          <Notice kind="danger" testId="save-problem">
            {errorSentence(saveProblem)}
          </Notice>
        ) : null}
        {saved ? (
          <Notice testId="saved">Saved. Agents that are there already go on as they were started.</Notice>
        ) : null}
      </aside>
    </form>
  );
}

function whatIsTested({
  registration,
  credential,
}: {
  registration: Registration;
  credential?: CredentialDraft;
}): string {
  const { driver, address, queue, settings } = registration;
  return JSON.stringify([driver, address, queue, settings.environment, credential]);
}

function StoredHostKey({ hostKey, onForget }: { hostKey: string; onForget: () => void }) {
  return (
    <div className="grid gap-1.5">
      <p className="text-[0.93rem]">
        <span className="font-medium">Stored host key</span>{" "}
        <code className="break-all font-mono text-[0.8rem] text-muted">{hostKey}</code>
      </p>
      <Button className="w-fit" onClick={onForget}>
        The host has a new key
      </Button>
    </div>
  );
}
