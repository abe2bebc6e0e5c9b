"use client";
/** A workflow: its text beside its graph, its input files, and Save and Run with the reason when it cannot start. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Play, Save } from "lucide-react";
import { useRouter } from "next/navigation";
import { type DragEvent, useEffect, useMemo, useRef, useState } from "react";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { GraphPanel } from "@/components/graph/graph-panel";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import type { Problem } from "@/core/problem";
import type { WorkflowDetail } from "@/server/api/views";
import { sortDropped } from "./dropped-files";
import { FilesPanel } from "./files-panel";
import { destinationFor, overviewFiles, providedFiles } from "./input-files";
import { ProblemList } from "./problem-list";
import { TextEditor, type TextEditorHandle } from "./text-editor";
import { useCheckedWorkflow } from "./use-checked-workflow";
import { useUploads } from "./use-uploads";
import { whyNotRun } from "./why-not-run";
import { WorkflowBadge } from "./workflow-badge";

const noInputs: never[] = [];

export function WorkflowEditor({ initial }: { initial?: WorkflowDetail }) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const [name, setName] = useState(initial?.name ?? "");
  const [text, setText] = useState(initial?.source ?? "");
  const [dirty, setDirty] = useState(false);
  const [dragging, setDragging] = useState(false);
  const editor = useRef<TextEditorHandle>(null);
  const { files, upload, remove } = useUploads(initial?.files ?? [], () => setDirty(true));
  const checked = useCheckedWorkflow(text);
  const inputs = checked.workflow?.externalInputs ?? noInputs;
  const overview = useMemo(() => overviewFiles(inputs, files), [inputs, files]);
  const problemTasks = useMemo(
    () =>
      new Set(
        checked.problems.flatMap((problem) => (problem.task && problem.severity === "error" ? [problem.task] : [])),
      ),
    [checked.problems],
  );
  const clusters = useQuery(trpc.clusters.list.queryOptions());
  const clusterProblem =
    clusters.data && !clusters.data.some((cluster) => cluster.usable)
      ? (clusters.data[0]?.unusableBecause ?? "No cluster is registered.")
      : undefined;
  const cannotRun = whyNotRun(text, checked, overview, clusterProblem);
  useUnsavedWarning(dirty);

  const create = useMutation(trpc.workflows.create.mutationOptions());
  const update = useMutation(trpc.workflows.update.mutationOptions());
  const start = useMutation(trpc.runs.start.mutationOptions());
  const busy = create.isPending || update.isPending || start.isPending;
  const problem = create.error ?? update.error ?? start.error;

  async function store(): Promise<string> {
    const content = {
      name: name.trim() || suggestName(text),
      source: text,
      files: providedFiles(files).map(({ name: file, sha256 }) => ({ name: file, sha256 })),
    };
    const saved = initial
      ? await update.mutateAsync({ id: initial.id, ...content })
      : await create.mutateAsync(content);
    setName(content.name);
    setDirty(false);
    await queryClient.invalidateQueries({ queryKey: trpc.workflows.list.pathKey() });
    return saved.id;
  }

  async function save() {
    const id = await store();
    if (!initial) router.replace(`/workflows/${id}`);
  }

  async function run() {
    const workflowId = initial && !dirty ? initial.id : await store();
    const { id } = await start.mutateAsync({ workflowId });
    router.push(`/runs/${id}`);
  }

  async function take(dropped: File[]) {
    const sorted = await sortDropped(dropped, inputs);
    if (sorted.workflow) {
      editor.current?.replace(sorted.workflow.text);
      if (name.trim() === "") setName(sorted.workflow.name);
    }
    for (const file of sorted.inputs) upload(destinationFor(file.name, inputs, files), file);
  }

  function onDrop(event: DragEvent) {
    event.preventDefault();
    setDragging(false);
    if (event.dataTransfer.files.length > 0) void take([...event.dataTransfer.files]);
  }

  return (
    <section
      aria-label="Workflow"
      className={`flex min-h-[calc(100dvh-6.5rem)] flex-col gap-3 ${dragging ? "outline-2 outline-offset-4 outline-dashed outline-thread" : ""}`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setDragging(true);
      }}
      onDragLeave={(event) => {
        if (event.currentTarget === event.target) setDragging(false);
      }}
      onDrop={onDrop}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="sr-only">{initial ? initial.name : "New workflow"}</h1>
        <input
          value={name}
          onChange={(event) => {
            setName(event.target.value);
            setDirty(true);
          }}
          maxLength={200}
          placeholder="Untitled workflow"
          aria-label="Name of the workflow"
          data-testid="workflow-name"
          className="min-w-0 flex-1 basis-56 border-b border-transparent bg-transparent py-0.5 text-[1.3rem] font-semibold tracking-tight hover:border-rule-strong focus:border-rule-strong"
        />
        <WorkflowBadge workflow={checked.workflow} problems={checked.problems} onShow={showProblem} />
        <div className="flex items-center gap-2">
          <Button
            onClick={() => void save().catch(shownBelow)}
            disabled={busy || text.trim() === "" || (!dirty && initial !== undefined)}
            data-testid="save-workflow"
          >
            <Save size={15} aria-hidden="true" /> {dirty || !initial ? "Save" : "Saved"}
          </Button>
          <Button
            rank="primary"
            onClick={() => void run().catch(shownBelow)}
            busy={start.isPending}
            disabled={busy || cannotRun !== undefined}
            aria-describedby={cannotRun ? "cannot-run" : undefined}
            data-testid="run-workflow"
          >
            {start.isPending ? null : <Play size={14} aria-hidden="true" />} Run
          </Button>
        </div>
      </div>
      {cannotRun ? (
        <p
          id="cannot-run"
          role="status"
          className="-mt-1 text-right text-[0.88rem] text-muted"
          data-testid="cannot-run"
        >
          Cannot run yet: {cannotRun}
        </p>
      ) : null}
      {problem ? <Notice kind="danger">{errorSentence(problem)}</Notice> : null}
      <div className="grid min-h-0 flex-1 gap-4 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
        <div className="flex min-h-0 min-w-0 flex-col">
          <div className="h-[22rem] border lg:h-auto lg:min-h-[18rem] lg:flex-1 lg:basis-0">
            <TextEditor
              ref={editor}
              initial={text}
              problems={checked.problems}
              onChange={(changed) => {
                setText(changed);
                setDirty(true);
              }}
            />
          </div>
          <ProblemList problems={checked.problems} onShow={showProblem} />
          <div className="mt-3">
            <FilesPanel overview={overview} onFiles={(chosen) => void take(chosen)} onRemove={remove} />
          </div>
        </div>
        {checked.model ? (
          <div className="relative flex min-h-[24rem] flex-col">
            <GraphPanel model={checked.model} problemTasks={problemTasks} onOpen={showTask} className="flex-1" />
            {checked.workflow ? null : (
              <p className="absolute right-2 top-2 bg-surface/90 px-2 py-1 text-[0.85rem] text-muted">
                The last graph that could be drawn.
              </p>
            )}
          </div>
        ) : (
          <div className="grid min-h-48 place-content-center border border-dashed p-6 text-center text-muted">
            <p>The graph appears here as the text describes tasks.</p>
          </div>
        )}
      </div>
    </section>
  );

  function showProblem({ at }: Problem) {
    if (at) editor.current?.show(at);
  }

  /** Enter or a click on a node leads to the line that describes it. */
  function showTask(task: number) {
    const at = checked.workflow?.placeOf(task);
    if (at) editor.current?.show(at);
  }
}

/** The mutation keeps its error, which the page shows; nothing more to do with the rejection. */
function shownBelow(): void {}

function suggestName(text: string): string {
  const comment = /^\s*#+\s*(\S.*)$/m.exec(text)?.[1]?.trim();
  return (comment ?? "Untitled workflow").slice(0, 80);
}

function useUnsavedWarning(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [dirty]);
}
