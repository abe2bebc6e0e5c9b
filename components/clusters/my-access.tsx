"use client";
/** One's own key to a cluster: give it, test it, replace it, remove it. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { errorSentence, useTRPC, useTRPCClient } from "@/components/api/provider";
import { Button } from "@/components/ui/button";
import { Confirm } from "@/components/ui/confirm";
import { Moment } from "@/components/ui/moment";
import { Notice } from "@/components/ui/notice";
import { useInBrowser } from "@/components/ui/use-in-browser";
import type { ClusterDetail, KeyView } from "@/server/api/clusters/views";
import { emptyKey, type KeyDraft, readKey } from "./form-draft";
import { KeyFields } from "./key-fields";
import { TestSteps } from "./test-steps";
import { useTest } from "./use-test";
import { policyWords } from "./words";

export function MyAccess({ cluster }: { cluster: ClusterDetail }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const alive = useInBrowser();
  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.clusters.pathKey() });
  const test = useTest(() => void refresh());
  const startTest = () => test.start(() => client.keys.test.mutate({ cluster: cluster.id }));
  const [replacing, setReplacing] = useState(false);
  const [draft, setDraft] = useState<KeyDraft>(emptyKey);
  const [tried, setTried] = useState(false);
  const read = readKey(draft);
  const save = useMutation(
    trpc.keys.save.mutationOptions({
      onSuccess: async () => {
        setReplacing(false);
        setTried(false);
        setDraft(emptyKey);
        await refresh();
        startTest();
      },
    }),
  );
  const remove = useMutation(
    trpc.keys.remove.mutationOptions({
      onSuccess: () => test.forget(),
      onSettled: refresh,
    }),
  );
  function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (read.credential && Object.keys(read.problems).length === 0) {
      save.mutate({ cluster: cluster.id, credential: read.credential });
    }
  }
  const key = cluster.myKey;
  const asking = key === null || replacing;
  return (
    <div className="grid max-w-3xl gap-5" data-testid="my-access">
      <p className="text-[0.95rem] text-muted">
        {policyWords[cluster.accountPolicy].about} {cluster.address ? `Its address is ${cluster.address}.` : ""}
      </p>
      {key ? <MyKey keyView={key} /> : null}
      {asking ? (
        <form onSubmit={submit} noValidate className="grid gap-4">
          <h2>{key ? "Another key instead" : "Give the portal a key"}</h2>
          <KeyFields draft={draft} problems={tried ? read.problems : {}} canKeep={false} onChange={setDraft} />
          {save.error ? (
            <Notice kind="danger" testId="key-problem">
              {errorSentence(save.error)}
            </Notice>
          ) : null}
          <div className="flex flex-wrap gap-2">
            <Button
              type="submit"
              rank="primary"
              busy={save.isPending}
              disabled={save.isPending || !alive}
              data-testid="save-key"
            >
              Save and test
            </Button>
            {key ? <Button onClick={() => setReplacing(false)}>Keep the old one</Button> : null}
          </div>
        </form>
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button onClick={startTest} busy={test.running} disabled={test.running || !alive} data-testid="test-key">
            Test
          </Button>
          <Button onClick={() => setReplacing(true)} disabled={!alive}>
            Replace
          </Button>
          <Confirm
            trigger={
              <Button rank="danger" disabled={remove.isPending || !alive} data-testid="remove-key">
                Remove
              </Button>
            }
            title="Remove your key?"
            action="Remove it"
            onConfirm={() => remove.mutate({ cluster: cluster.id })}
          >
            <p>
              The portal forgets it for good and starts nothing more under your account on {cluster.name}. Agents that
              are there end by themselves.
            </p>
          </Confirm>
        </div>
      )}
      {remove.error ? <Notice kind="danger">{errorSentence(remove.error)}</Notice> : null}
      <TestSteps test={test} />
    </div>
  );
}

function MyKey({ keyView }: { keyView: KeyView }) {
  return (
    <dl className="grid border-t" data-testid="my-key">
      <Fact term="Account">{keyView.login}</Fact>
      <Fact term="Key">
        <code className="break-all font-mono text-[0.82rem]">{keyView.fingerprint}</code>
      </Fact>
      <Fact term="Expires">
        {keyView.expiresAt ? (
          <span className={keyView.expiry === "later" ? "" : "text-caution"}>
            <Moment at={keyView.expiresAt} />
          </span>
        ) : (
          "never"
        )}
      </Fact>
      <Fact term="Last test">
        {keyView.testedAt ? (
          <>
            {keyView.testSentence} (<Moment at={keyView.testedAt} style="ago" />)
          </>
        ) : (
          "not tested yet"
        )}
      </Fact>
    </dl>
  );
}

function Fact({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <div className="flex justify-between gap-4 border-b py-1.5">
      <dt className="text-muted">{term}</dt>
      <dd className="min-w-0 text-right">{children}</dd>
    </div>
  );
}
