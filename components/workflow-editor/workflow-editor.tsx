"use client";
/** A workflow: its texts beside its graph, its files, and Save and Run with the reason when it cannot start. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Play, Save } from "lucide-react";
import { useRouter } from "next/navigation";
import { type DragEvent, useEffect, useMemo, useRef, useState } from "react";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { GraphPanel } from "@/components/graph/graph-panel";
import { emptyOptions, optionsProblem, readOptions } from "@/components/policies/options-draft";
import { RunOptions } from "@/components/policies/run-options";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import type { Problem } from "@/core/problem";
import type { WorkflowDetail } from "@/server/api/views";
import { mainFile, type Place, placeOf, textOf } from "./description";
import { DownloadMenu } from "./download-menu";
import { FileTabs } from "./file-tabs";
import { FilesPanel } from "./files-panel";
import { overviewFiles } from "./input-files";
import { ProblemList } from "./problem-list";
import { TextEditor, type TextEditorHandle } from "./text-editor";
import { useCheckedWorkflow } from "./use-checked-workflow";
import { type DropReport, FileNotStored, useDraft } from "./use-draft";
import { whyNotRun } from "./why-not-run";
import { WorkflowBadge } from "./workflow-badge";
import { WorkflowQuestion } from "./workflow-question";

const noInputs: never[] = [];

export function WorkflowEditor({ initial }: { initial?: WorkflowDetail }) {
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const draft = useDraft(initial);
  const { name, description, files, dirty } = draft;
  const [dragging, setDragging] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [chosen, setChosen] = useState(mainFile);
  const shown = description.companions.has(chosen) ? chosen : mainFile;
  const [goal, setGoal] = useState<Place>();
  const editor = useRef<TextEditorHandle>(null);
  const checked = useCheckedWorkflow(description);
  const { format } = checked;
  const inputs = checked.workflow?.externalInputs ?? noInputs;
  const overview = useMemo(() => overviewFiles(inputs, files, checked.asked), [inputs, files, checked.asked]);
  const withErrors = useMemo(
    () =>
      new Set(
        checked.problems.flatMap((problem) =>
          problem.severity === "error" ? [placeOf(problem, description)?.file ?? mainFile] : [],
        ),
      ),
    [checked.problems, description],
  );
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
  const [options, setOptions] = useState(emptyOptions);
  const optionsRead = useMemo(() => readOptions(options), [options]);
  const cannotRun = whyNotRun(description, checked, overview, clusterProblem) ?? optionsProblem(optionsRead);
  useUnsavedWarning(dirty);
  // The file is shown by the time this runs.
  useEffect(() => {
    if (goal) editor.current?.show(goal.at);
  }, [goal]);

  const create = useMutation(trpc.workflows.create.mutationOptions());
  const update = useMutation(trpc.workflows.update.mutationOptions());
  const start = useMutation(trpc.runs.start.mutationOptions());
  // A new workflow that was stored to be run and then refused is not stored a second time.
  const storedId = useRef(initial?.id);
  const [storing, setStoring] = useState(false);
  const busy = storing || start.isPending;

  async function store(): Promise<string> {
    const { version, ...content } = await draft.content();
    const { id } = storedId.current
      ? await update.mutateAsync({ id: storedId.current, ...content })
      : await create.mutateAsync(content);
    storedId.current = id;
    draft.stored(content.name, version);
    await queryClient.invalidateQueries({ queryKey: trpc.workflows.list.pathKey() });
    return id;
  }

  async function attempt(what: () => Promise<void>) {
    setFailure(undefined);
    setStoring(true);
    await what().catch((error: unknown) =>
      setFailure(error instanceof FileNotStored ? error.message : errorSentence(error)),
    );
    setStoring(false);
  }

  async function save() {
    const id = await store();
    if (!initial) router.replace(`/workflows/${id}`);
  }

  async function run() {
    const workflowId = storedId.current && !dirty ? storedId.current : await store();
    const { id } = await start.mutateAsync({ workflowId, settings: optionsRead.given });
    router.push(`/runs/${id}`);
  }

  function onDrop(event: DragEvent) {
    event.preventDefault();
    setDragging(false);
    if (event.dataTransfer.files.length > 0) void draft.take([...event.dataTransfer.files]);
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
          onChange={(event) => draft.rename(event.target.value)}
          maxLength={200}
          placeholder="Untitled workflow"
          aria-label="Name of the workflow"
          data-testid="workflow-name"
          className="min-w-0 flex-1 basis-56 border-b border-transparent bg-transparent py-0.5 text-[1.3rem] font-semibold tracking-tight hover:border-rule-strong focus:border-rule-strong"
        />
        <WorkflowBadge
          format={checked.format?.title}
          workflow={checked.workflow}
          problems={checked.problems}
          onShow={showProblem}
        />
        <div className="flex flex-wrap items-center gap-2">
          <DownloadMenu name={name} checked={checked} />
          <Button
            onClick={() => void attempt(save)}
            disabled={busy || description.text.trim() === "" || (!dirty && initial !== undefined)}
            data-testid="save-workflow"
          >
            <Save size={15} aria-hidden="true" /> {dirty || !initial ? "Save" : "Saved"}
          </Button>
          <Button
            rank="primary"
            onClick={() => void attempt(run)}
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
      {failure ? (
        <Notice kind="danger">
          <span className="whitespace-pre-line">{failure}</span>
        </Notice>
      ) : null}
      {draft.question ? <WorkflowQuestion question={draft.question} onAnswer={draft.answer} /> : null}
      <Report report={draft.report} />
      <div className="grid min-h-0 flex-1 gap-4 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
        <div className="flex min-h-0 min-w-0 flex-col">
          <FileTabs description={description} withErrors={withErrors} shown={shown} onShow={setChosen} />
          <div className="h-[22rem] border lg:h-auto lg:min-h-[18rem] lg:flex-1 lg:basis-0">
            <TextEditor
              ref={editor}
              file={shown}
              text={textOf(description, shown)}
              label={shown === mainFile ? `Workflow text${format ? `, ${format.title}` : ""}` : shown}
              isGridAdl={shown === mainFile && (format === undefined || format.name === "gridadl")}
              problems={checked.problems}
              onChange={draft.edit}
            />
          </div>
          <ProblemList problems={checked.problems} description={description} onShow={showProblem} />
          <div className="mt-3">
            <FilesPanel
              overview={overview}
              onFiles={(brought) => void draft.take(brought)}
              onRemove={draft.removeFile}
            />
          </div>
          <div className="mt-3">
            <RunOptions draft={options} read={optionsRead} onChange={setOptions} />
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

  function showProblem(problem: Problem) {
    show(placeOf(problem, description));
  }

  /** Enter or a click on a node leads to the line that describes it. */
  function showTask(task: number) {
    const at = checked.workflow?.placeOf(task);
    if (at) show({ file: mainFile, at });
  }

  function show(place: Place | undefined) {
    if (!place) return;
    setChosen(place.file);
    setGoal({ ...place });
  }
}

function Report({ report }: { report?: DropReport }) {
  if (!report) return null;
  if (report.kind === "spoken") {
    return (
      <p role="status" className="sr-only">
        {report.sentence}
      </p>
    );
  }
  return (
    <Notice kind={report.kind} testId="drop-report">
      {report.sentence}
    </Notice>
  );
}

function useUnsavedWarning(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [dirty]);
}
