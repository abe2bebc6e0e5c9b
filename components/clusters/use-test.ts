"use client";
/** A test of a cluster as it goes: started by a request, then followed step by step until it ends. */
import { useCallback, useEffect, useRef, useState } from "react";
import { errorSentence, useTRPCClient } from "@/components/api/provider";
import type { TestView } from "@/server/api/clusters/views";

export interface RunningTest {
  /** Undefined before the first. */
  view: TestView | undefined;
  running: boolean;
  /** Why it could not be started or followed. */
  problem: string | undefined;
  start(begin: () => Promise<{ id: string }>): void;
  forget(): void;
}

export function useTest(onEnd?: (view: TestView) => void): RunningTest {
  const client = useTRPCClient();
  const [view, setView] = useState<TestView>();
  const [running, setRunning] = useState(false);
  const [problem, setProblem] = useState<string>();
  const stop = useRef(() => {});
  const ended = useRef(onEnd);
  ended.current = onEnd;
  useEffect(() => () => stop.current(), []);

  const start = useCallback(
    (begin: () => Promise<{ id: string }>) => {
      stop.current();
      setView(undefined);
      setProblem(undefined);
      setRunning(true);
      let current = true;
      stop.current = () => {
        current = false;
      };
      const failed = (error: unknown) => {
        if (!current) return;
        setRunning(false);
        setProblem(errorSentence(error));
      };
      begin().then(({ id }) => {
        if (!current) return;
        const subscription = client.clusters.watchTest.subscribe(
          { id },
          {
            onData: (next) => {
              setView(next);
              if (next.ok === null) return;
              setRunning(false);
              stop.current();
              ended.current?.(next);
            },
            onError: failed,
          },
        );
        stop.current = () => {
          current = false;
          subscription.unsubscribe();
        };
      }, failed);
    },
    [client],
  );
  const forget = useCallback(() => {
    stop.current();
    setView(undefined);
    setProblem(undefined);
    setRunning(false);
  }, []);
  return { view, running, problem, start, forget };
}
