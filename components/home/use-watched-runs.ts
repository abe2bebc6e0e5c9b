"use client";
/** The newest runs with their progress, live; a hidden tab gives its connection back. */
import { useEffect, useState } from "react";
import { useTRPCClient } from "@/components/api/provider";
import { useOnline } from "@/components/run-view/use-online";
import { useVisible } from "@/components/run-view/use-visible";
import type { RunSummary } from "@/server/api/views";

const retryAfterMs = 2000;

export function useWatchedRuns(initial: RunSummary[], limit: number): { runs: RunSummary[]; lost: boolean } {
  const client = useTRPCClient();
  const visible = useVisible();
  const online = useOnline();
  const [runs, setRuns] = useState(initial);
  const [lost, setLost] = useState(false);
  useEffect(() => {
    if (!visible) return;
    if (!online) setLost(true);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let unsubscribe = () => {};
    const tryAgain = () => {
      setLost(true);
      timer = setTimeout(connect, retryAfterMs);
    };
    function connect() {
      const subscription = client.runs.watchList.subscribe(
        { limit },
        {
          onStarted: () => setLost(false),
          onData: setRuns,
          onConnectionStateChange: (change) => {
            if (change.state === "connecting" && change.error) setLost(true);
          },
          onError: tryAgain,
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
  }, [client, limit, visible, online]);
  return { runs, lost };
}
