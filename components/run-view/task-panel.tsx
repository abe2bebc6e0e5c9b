"use client";
/** One task of a run, opened beside the graph: its state and why, command, files, attempts, and what it prints. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { commandLine } from "@/components/graph/graph-model";
import { StateTile } from "@/components/graph/state-glyph";
import { stateLooks, stateName } from "@/components/graph/state-look";
import type { TaskStates } from "@/components/graph/task-states";
import { bytes } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { TaskState } from "@/core/engine/task-state";
import type { Workflow } from "@/core/workflow/workflow";
import type { TaskFile } from "@/server/api/views";
import { Attempts } from "./attempts";
import { downloadPath } from "./download";
import { LiveOutput } from "./live-output";
import { TaskMoves } from "./task-moves";
import { why } from "./why";

const lookAgainMs = 3000;

export function TaskPanel({
  runId,
  workflow,
  task,
  states,
  waiting,
  onOpen,
  onClose,
}: {
  runId: string;
  workflow: Workflow;
  task: number;
  states: TaskStates;
  /** Why nothing of the run runs, in the engine's words. */
  waiting?: string;
  onOpen: (task: number) => void;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const code = useSyncExternalStore(
    states.subscribe,
    () => states.of(task),
    () => 0,
  );
  // The sentence depends on the neighbours' states as well, so every change of the run is looked at.
  useSyncExternalStore(
    states.subscribe,
    () => states.version,
    () => 0,
  );
  // A running task may get a replica, or another attempt at once, without its state changing.
  const moves = code === TaskState.running || code === TaskState.migrating;
  const refetchInterval = moves ? lookAgainMs : false;
  const detail = useQuery(
    trpc.tasks.get.queryOptions({ run: runId, task }, { placeholderData: keepPreviousData, refetchInterval }),
  );
  const { refetch } = detail;
  const seen = useRef(code);
  useEffect(() => {
    if (seen.current === code) return;
    seen.current = code;
    void refetch();
  }, [code, refetch]);
  const title = useRef<HTMLHeadingElement>(null);
  // A newly opened task takes the focus, so that a screen reader starts with it and Escape closes it.
  useEffect(() => {
    if (task >= 0) title.current?.focus({ preventScroll: true });
  }, [task]);

  const spec = workflow.task(task);
  const state = stateName(code);
  const known = detail.data?.index === task ? detail.data : undefined;
  return (
    <aside
      aria-label={`Task ${spec.name}`}
      data-testid="task-panel"
      className="grid content-start gap-4 border bg-surface p-4 text-[0.92rem]"
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <header className="flex items-start gap-2">
        <StateTile state={state} size={22} />
        <div className="min-w-0 flex-1">
          <h2 ref={title} tabIndex={-1} className="break-words text-[1.05rem] leading-tight outline-none">
            {spec.name}
          </h2>
          <p className="text-muted" data-testid="task-state" data-state={state}>
            {stateLooks[state].label}
          </p>
        </div>
        <button type="button" onClick={onClose} aria-label="Close task" className="rounded-md p-1 hover:bg-sunken">
          <X size={16} aria-hidden="true" />
        </button>
      </header>
      <p data-testid="task-why">{why(workflow, (other) => states.of(other), task, waiting)}</p>
      {detail.error ? <Notice kind="danger">{errorSentence(detail.error)}</Notice> : null}
      <TaskMoves
        key={task}
        runId={runId}
        task={task}
        state={code}
        adaptation={known?.adaptation}
        onAsked={() => void refetch()}
      />
      <Part title={spec.command.is === "shell" ? "Command line (sh -c)" : "Command"}>
        <code className="block whitespace-pre-wrap break-words bg-sunken px-2 py-1.5 text-[0.82rem]">
          {commandLine(spec.command)}
        </code>
      </Part>
      <div className="grid gap-4 sm:grid-cols-2">
        <Files
          title="Inputs"
          files={known?.inputs ?? plain(spec.inputs)}
          runId={runId}
          workflow={workflow}
          onOpen={onOpen}
        />
        <Files
          title="Outputs"
          files={known?.outputs ?? plain(spec.outputs)}
          runId={runId}
          workflow={workflow}
          onOpen={onOpen}
        />
      </div>
      {known ? <Attempts attempts={known.attempts} /> : null}
      {known && known.attempts.length > 0 ? (
        <LiveOutput key={`${task}.${known.attempts.length}`} runId={runId} task={task} attempts={known.attempts} />
      ) : null}
    </aside>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid min-w-0 content-start gap-1">
      <h3 className="label-caps">{title}</h3>
      {children}
    </section>
  );
}

function plain(names: string[]): TaskFile[] {
  return names.map((name) => ({ name, size: null, transient: false, producer: -1 }));
}

function Files({
  title,
  files,
  runId,
  workflow,
  onOpen,
}: {
  title: string;
  files: TaskFile[];
  runId: string;
  workflow: Workflow;
  onOpen: (task: number) => void;
}) {
  return (
    <Part title={title}>
      {files.length === 0 ? <p className="text-muted">none</p> : null}
      <ul className="grid gap-0.5 font-mono text-[0.82rem]">
        {files.slice(0, 200).map((file) => {
          const producer = title === "Inputs" ? workflow.producerOf(file.name) : -1;
          return (
            <li key={file.name} className="min-w-0">
              {file.size !== null && !file.transient ? (
                <a className="link break-all" href={downloadPath(runId, file.name)} download>
                  {file.name}
                </a>
              ) : (
                <span className="break-all">{file.name}</span>
              )}
              <span className="text-faint">
                {file.size !== null ? ` ${bytes(file.size)}` : ""}
                {file.transient ? " transient" : ""}
              </span>
              {producer >= 0 ? (
                <>
                  {" "}
                  <span className="text-faint">from </span>
                  <button type="button" className="link" onClick={() => onOpen(producer)}>
                    {workflow.name(producer)}
                  </button>
                </>
              ) : null}
            </li>
          );
        })}
      </ul>
      {files.length > 200 ? <p className="text-muted">and {files.length - 200} more</p> : null}
    </Part>
  );
}
