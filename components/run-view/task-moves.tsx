"use client";
/** What one can do about where a task runs: move it, or let it go on; and what it would go on from. */
import { useMutation } from "@tanstack/react-query";
import { MoveRight, Play } from "lucide-react";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { Button } from "@/components/ui/button";
import { bytes } from "@/components/ui/format";
import { Moment } from "@/components/ui/moment";
import { Notice } from "@/components/ui/notice";
import { TaskState } from "@/core/engine/task-state";
import type { TaskDetail } from "@/server/api/views";
import { Profile } from "./profile";

export function TaskMoves({
  runId,
  task,
  state,
  adaptation,
  onAsked,
}: {
  runId: string;
  task: number;
  state: number;
  adaptation: TaskDetail["adaptation"] | undefined;
  onAsked: () => void;
}) {
  const trpc = useTRPC();
  const move = useMutation(trpc.tasks.migrate.mutationOptions({ onSuccess: onAsked }));
  const resume = useMutation(trpc.tasks.resume.mutationOptions({ onSuccess: onAsked }));
  const problem = move.error ?? resume.error;
  const { checkpointAt, checkpointBytes, requirement, rank, held = false, samples = [] } = adaptation ?? {};
  const movable = state === TaskState.running;
  if (!movable && !held && !checkpointAt && samples.length === 0) return null;
  const asked = move.isSuccess && movable;
  return (
    <section className="grid gap-2" data-testid="task-moves">
      <div className="flex flex-wrap items-center gap-2">
        {movable ? (
          <Button
            onClick={() => move.mutate({ run: runId, task })}
            disabled={asked}
            busy={move.isPending}
            data-testid="move-task"
          >
            <MoveRight size={15} aria-hidden="true" /> {asked ? "Asked to move" : "Move to another host"}
          </Button>
        ) : null}
        {held ? (
          <Button onClick={() => resume.mutate({ run: runId, task })} busy={resume.isPending} data-testid="resume-task">
            <Play size={15} aria-hidden="true" /> Let it go on
          </Button>
        ) : null}
      </div>
      {held ? <p>It failed too often and waits until somebody lets it go on.</p> : null}
      {asked ? <p className="text-muted">It works on here until another host that it may use has room.</p> : null}
      {checkpointAt ? (
        <p className="text-muted" data-testid="checkpoint">
          Restart files of <Moment at={checkpointAt} />
          {checkpointBytes != null ? `, ${bytes(checkpointBytes)}` : ""}: it goes on from there.
        </p>
      ) : movable ? (
        <p className="text-muted">It has no restart files yet: elsewhere it starts from its beginning.</p>
      ) : null}
      {requirement ? (
        <p className="break-words">
          It now needs <code>{requirement}</code>.
        </p>
      ) : null}
      {rank ? (
        <p className="break-words">
          It now prefers hosts by <code>{rank}</code>.
        </p>
      ) : null}
      {samples.length > 1 ? <Profile samples={samples} /> : null}
      {problem ? <Notice kind="danger">{errorSentence(problem)}</Notice> : null}
    </section>
  );
}
