"use client";
/**
 * Follows one run. States of tasks go into `TaskStates` (outside React), the header's figures into React state.
 *
 *   connecting  no answer yet
 *   live        connected; `updatedAt` is when the last word came
 *   lost        the connection broke; it is tried again from the last sequence number, so nothing is missed
 *   paused      the tab is hidden: browsers allow few connections per site, so a hidden page gives its own back
 *   refused     the server will not show this run (signed out, removed); `refusal` says why
 */
import { useEffect, useMemo, useRef, useState } from "react";
import { errorSentence, errorStatus, useTRPCClient } from "@/components/api/provider";
import { TaskStates } from "@/components/graph/task-states";
import type { RunState } from "@/core/engine/task-state";
import type { RunDetail, StatesSnapshot } from "@/server/api/views";
import { useOnline } from "./use-online";
import { useVisible } from "./use-visible";

export type Connection = "connecting" | "live" | "lost" | "paused" | "refused";

export interface LiveRun {
  state: RunState;
  counts: number[];
  startedAt: Date | null;
  endedAt: Date | null;
  states: TaskStates;
  connection: Connection;
  updatedAt?: Date;
  refusal?: string;
}

const retryAfterMs = 1500;

/** `taskCount`: of the graph that is shown. */
export function useLiveRun(run: RunDetail, snapshot: StatesSnapshot, taskCount: number): LiveRun {
  const client = useTRPCClient();
  const visible = useVisible();
  const online = useOnline();
  const states = useMemo(() => {
    const fresh = new TaskStates(taskCount);
    fresh.apply({ ranges: [{ from: 0, states: snapshot.states }], changes: [] });
    return fresh;
  }, [taskCount, snapshot]);
  const [header, setHeader] = useState({
    state: snapshot.state,
    counts: snapshot.counts,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
  });
  const [updatedAt, setUpdatedAt] = useState<Date>();
  const [connection, setConnection] = useState<Connection>("connecting");
  const [refusal, setRefusal] = useState<string>();
  const lastSeq = useRef<string>(String(snapshot.seq));
  const followed = useRef(states);

  useEffect(() => {
    // Another snapshot, because tasks were added: it is followed from its own number on.
    if (followed.current !== states) lastSeq.current = String(snapshot.seq);
    followed.current = states;
    if (!visible) {
      setConnection("paused");
      return;
    }
    // Without a network the open stream is taken for dead. It is tried again all the same: the portal may be local.
    if (!online) setConnection("lost");
    let timer: ReturnType<typeof setTimeout> | undefined;
    let unsubscribe = () => {};
    const tryAgain = () => {
      setConnection("lost");
      timer = setTimeout(connect, retryAfterMs);
    };
    function connect() {
      const subscription = client.runs.live.subscribe(
        { id: run.id, lastEventId: lastSeq.current },
        {
          onStarted: () => setConnection("live"),
          onData: ({ id, data: update }) => {
            lastSeq.current = id;
            states.apply(update);
            setHeader({
              state: update.state,
              counts: update.counts,
              startedAt: update.startedAt,
              endedAt: update.endedAt,
            });
            setUpdatedAt(new Date());
          },
          onConnectionStateChange: (change) => {
            if (change.state === "connecting" && change.error) setConnection("lost");
          },
          onError: (error) => {
            if ([401, 403, 404].includes(errorStatus(error) ?? 0)) {
              setConnection("refused");
              setRefusal(errorSentence(error));
            } else tryAgain();
          },
          onComplete: tryAgain,
        },
      );
      unsubscribe = () => subscription.unsubscribe();
    }
    connect();
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [client, run.id, states, snapshot.seq, visible, online]);

  return { ...header, states, connection, updatedAt, refusal };
}
