"use client";
/**
 * What an attempt prints, as it grows. The view follows the end until the reader scrolls up, and follows again
 * once they come back to the end. Only the last part of a long stream is kept in the page.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { errorSentence, useTRPCClient } from "@/components/api/provider";
import { bytes } from "@/components/ui/format";
import type { AttemptView } from "@/server/api/views";

const keptCharacters = 200_000;
type Stream = "stdout" | "stderr";

export function LiveOutput({ runId, task, attempts }: { runId: string; task: number; attempts: AttemptView[] }) {
  // What went wrong is usually told on stderr.
  const [stream, setStream] = useState<Stream>(attempts.at(-1)?.outcome === "failed" ? "stderr" : "stdout");
  const [ordinal, setOrdinal] = useState(attempts.at(-1)?.ordinal ?? 1);
  return (
    <section className="grid min-w-0 gap-1.5">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <fieldset className="flex gap-1">
          <legend className="sr-only">Output stream</legend>
          {(["stdout", "stderr"] as const).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={stream === name}
              onClick={() => setStream(name)}
              data-testid={`show-${name}`}
              className="border-b-2 border-transparent px-1.5 font-mono text-[0.85rem] text-muted aria-pressed:border-ink aria-pressed:text-ink"
            >
              {name}
            </button>
          ))}
        </fieldset>
        {attempts.length > 1 ? (
          <select
            aria-label="Attempt"
            value={ordinal}
            onChange={(event) => setOrdinal(Number(event.target.value))}
            className="rounded-md border border-rule-strong bg-surface px-1 text-[0.85rem]"
          >
            {attempts.map((attempt) => (
              <option key={attempt.ordinal} value={attempt.ordinal}>
                attempt {attempt.ordinal}
              </option>
            ))}
          </select>
        ) : null}
      </div>
      <StreamView key={`${ordinal}.${stream}`} runId={runId} task={task} ordinal={ordinal} stream={stream} />
    </section>
  );
}

function StreamView({
  runId,
  task,
  ordinal,
  stream,
}: {
  runId: string;
  task: number;
  ordinal: number;
  stream: Stream;
}) {
  const client = useTRPCClient();
  const [output, setOutput] = useState({ text: "", size: 0, ended: false });
  const [problem, setProblem] = useState<string>();
  const [following, setFollowing] = useState(true);
  const view = useRef<HTMLPreElement>(null);

  useEffect(() => {
    const subscription = client.tasks.output.subscribe(
      { run: runId, task, ordinal, stream, offset: 0 },
      {
        onData: ({ data: chunk }) => {
          setProblem(undefined);
          setOutput((old) => ({
            text: (old.text + chunk.text).slice(-keptCharacters),
            size: chunk.next,
            ended: chunk.ended,
          }));
          if (chunk.ended) subscription.unsubscribe();
        },
        onError: (error) => setProblem(errorSentence(error)),
      },
    );
    return () => subscription.unsubscribe();
  }, [client, runId, task, ordinal, stream]);

  const { text } = output;
  useLayoutEffect(() => {
    const element = view.current;
    // A scrollable region must be reachable by keyboard in every browser.
    if (element) element.tabIndex = 0;
    if (element && following && text !== "") element.scrollTop = element.scrollHeight;
  }, [text, following]);

  const cut = output.size > keptCharacters;
  const empty = output.ended ? `Nothing was written to ${stream}.` : `Nothing on ${stream} yet.`;
  return (
    <>
      <pre
        ref={view}
        data-testid={stream}
        className="max-h-80 min-h-20 overflow-auto whitespace-pre-wrap break-words bg-sunken p-2 font-mono text-[0.8rem] leading-snug"
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          setFollowing(scrollHeight - scrollTop - clientHeight < 24);
        }}
      >
        {text || <span className="text-faint">{empty}</span>}
      </pre>
      <p className="num text-[0.8rem] text-muted" role="status">
        {problem ??
          `${bytes(output.size)}${cut ? ", the end of it shown" : ""}${output.ended ? "" : following ? ", following" : ", paused: scroll to the end to follow"}`}
      </p>
    </>
  );
}
