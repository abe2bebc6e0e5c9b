"use client";
/** The head of a run: name, state, progress with counts, elapsed time, and what can be done with it. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Download, OctagonX, RotateCcw } from "lucide-react";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { Legend } from "@/components/graph/legend";
import { Button, ButtonLink, buttonClass } from "@/components/ui/button";
import { Confirm } from "@/components/ui/confirm";
import { count, counted, percent } from "@/components/ui/format";
import { Elapsed, Moment } from "@/components/ui/moment";
import { Notice } from "@/components/ui/notice";
import { useInBrowser } from "@/components/ui/use-in-browser";
import { TaskState } from "@/core/engine/task-state";
import type { RunDetail } from "@/server/api/views";
import { Connection } from "./connection";
import { archivePath, rescuePath } from "./download";
import { heldBack, isOver } from "./progress";
import { ProgressBar } from "./progress-bar";
import { RunState } from "./run-state";
import type { LiveRun } from "./use-live-run";

export function RunHeader({ run, live }: { run: RunDetail; live: LiveRun }) {
  const trpc = useTRPC();
  const alive = useInBrowser();
  const queryClient = useQueryClient();
  const refresh = {
    onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.runs.get.queryKey({ id: run.id }) }),
  };
  const kill = useMutation(trpc.runs.kill.mutationOptions(refresh));
  const retry = useMutation(
    trpc.runs.retryFailed.mutationOptions({
      onSuccess: () => {
        kill.reset();
        return refresh.onSuccess();
      },
    }),
  );
  const at = (state: TaskState) => live.counts[state] ?? 0;
  const finished = at(TaskState.finished);
  const failed = at(TaskState.failed);
  const running = at(TaskState.running);
  const open = at(TaskState.waiting) + at(TaskState.ready) + running;
  const over = isOver(live.state);
  // Retrying takes up what failed, and in a killed run also what was cancelled.
  const cancelled = over ? at(TaskState.cancelled) : 0;
  const again = failed + cancelled;
  const killing = !over && (kill.isSuccess || run.pending.includes("kill"));
  const held = heldBack(live.counts);
  const problem = kill.error ?? retry.error;

  return (
    <header className="grid gap-3">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="grid min-w-0 gap-1">
          <h1 className="break-words" data-testid="run-name">
            {run.name}
          </h1>
          <div className="num flex flex-wrap items-center gap-x-4 gap-y-1 text-[0.92rem] text-muted">
            <span className="text-ink">
              <RunState state={live.state} />
            </span>
            <span>
              <span className="text-ink">{percent(finished, run.taskCount)}</span> · {count(finished)} of{" "}
              {counted(run.taskCount, "task")}
            </span>
            <span>
              {live.startedAt ? (
                <>
                  {over ? "took " : "for "}
                  <Elapsed from={live.startedAt} to={live.endedAt} />
                </>
              ) : (
                <>
                  submitted <Moment at={run.createdAt} />
                </>
              )}
            </span>
            <Connection connection={live.connection} updatedAt={live.updatedAt} />
          </div>
        </div>
        <div className="flex flex-wrap gap-2">
          {run.workflowId ? <ButtonLink href={`/workflows/${run.workflowId}`}>Open workflow</ButtonLink> : null}
          {finished > 0 ? (
            <a className={buttonClass("plain")} href={archivePath(run.id)} download data-testid="download-archive">
              <Download size={15} aria-hidden="true" /> Zip
            </a>
          ) : null}
          {over && again > 0 ? (
            <a
              className={buttonClass("plain")}
              href={rescuePath(run.id)}
              download
              title="A DAGMan file with the finished tasks marked done: with the files of this run, it does the rest"
              data-testid="download-rescue"
            >
              <Download size={15} aria-hidden="true" /> Rescue DAG
            </a>
          ) : null}
          {again > 0 ? (
            <Button
              onClick={() => retry.mutate({ id: run.id })}
              busy={retry.isPending}
              disabled={retry.isPending || !alive}
              data-testid="retry-failed"
            >
              <RotateCcw size={15} aria-hidden="true" />{" "}
              {cancelled > 0 ? `Run the other ${counted(again, "task")}` : `Retry ${counted(again, "failed task")}`}
            </Button>
          ) : null}
          {!over ? (
            <Confirm
              trigger={
                <Button
                  rank="danger"
                  disabled={killing || !alive}
                  busy={killing || kill.isPending}
                  data-testid="kill-run"
                >
                  <OctagonX size={15} aria-hidden="true" /> {killing ? "Killing" : "Kill"}
                </Button>
              }
              title="Kill this run?"
              action="Kill the run"
              onConfirm={() => kill.mutate({ id: run.id })}
            >
              <p>
                {running > 0 ? `This stops ${counted(running, "running task")}; the work done so far is lost. ` : ""}
                {counted(open, "task")} in all will not finish. The results of {counted(finished, "finished task")} are
                kept, and the rest can be run again later.
              </p>
            </Confirm>
          ) : null}
        </div>
      </div>
      <ProgressBar counts={live.counts} taskCount={run.taskCount} tall />
      <Legend counts={live.counts} />
      {problem ? <Notice kind="danger">{errorSentence(problem)}</Notice> : null}
      {live.refusal ? <Notice kind="danger">{live.refusal}</Notice> : null}
      {held > 0 ? (
        <Notice kind="caution">
          {counted(failed, "task")} failed, which holds back {counted(held, "task")}. Open a failed task to see why,
          then retry.
        </Notice>
      ) : null}
    </header>
  );
}
