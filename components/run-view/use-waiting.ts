"use client";
/**
 * Why nothing of a run runs although tasks are ready, in the engine's own words. It is asked only while that is so,
 * and again and again, because the reason may change without any task's state changing.
 */
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/components/api/provider";
import { TaskState } from "@/core/engine/task-state";
import type { WaitingView } from "@/server/api/views";
import { isOver } from "./progress";
import type { LiveRun } from "./use-live-run";

const askEveryMs = 2000;

export function useWaiting(runId: string, live: LiveRun): WaitingView | undefined {
  const trpc = useTRPC();
  const ready = live.counts[TaskState.ready] ?? 0;
  const running = live.counts[TaskState.running] ?? 0;
  const stuck = ready > 0 && running === 0 && !isOver(live.state);
  const { data } = useQuery(
    trpc.runs.waiting.queryOptions({ id: runId }, { enabled: stuck, refetchInterval: askEveryMs, staleTime: 0 }),
  );
  return stuck && data ? data : undefined;
}
