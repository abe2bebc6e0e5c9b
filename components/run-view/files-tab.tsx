"use client";
/** The files of a run: what came in, what its tasks made; one by one or all results as a zip. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { errorSentence, useTRPCClient } from "@/components/api/provider";
import { buttonClass } from "@/components/ui/button";
import { bytes, counted } from "@/components/ui/format";
import { Empty, Notice } from "@/components/ui/notice";
import type { Workflow } from "@/core/workflow/workflow";
import type { RunFile } from "@/server/api/views";
import { archivePath, downloadPath } from "./download";

/** A page of names can be read; a run with more is fetched as an archive. */
const shownFiles = 2000;
const names = new Intl.Collator("en", { numeric: true });

export function FilesTab({
  runId,
  workflow,
  finished,
  onOpen,
}: {
  runId: string;
  workflow?: Workflow;
  /** Number of finished tasks: new files can only have come with a new one. */
  finished: number;
  onOpen: (task: number) => void;
}) {
  const client = useTRPCClient();
  const files = useQuery({
    queryKey: ["files", runId, finished],
    queryFn: () => client.files.list.query({ run: runId }),
    placeholderData: keepPreviousData,
  });
  if (files.error) return <Notice kind="danger">{errorSentence(files.error)}</Notice>;
  if (!files.data) return <p className="text-muted">Reading the list of files…</p>;
  // What can be fetched comes first; numbers in names count as numbers.
  const results = files.data
    .filter((file) => file.task !== null)
    .sort((a, b) => Number(a.transient) - Number(b.transient) || names.compare(a.name, b.name));
  const inputs = files.data.filter((file) => file.task === null);
  const kept = results.filter((file) => !file.transient);
  const size = kept.reduce((sum, file) => sum + file.size, 0);
  return (
    <div className="grid gap-5">
      <section className="grid gap-2">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h2>
            Results{" "}
            <span className="num font-normal text-muted">{`${counted(kept.length, "file")}, ${bytes(size)}`}</span>
          </h2>
          {kept.length > 0 ? (
            <a className={buttonClass("plain")} href={archivePath(runId)} download data-testid="download-zip">
              <Download size={15} aria-hidden="true" /> All as zip
            </a>
          ) : null}
        </div>
        {results.length === 0 ? (
          <Empty>No task has finished with a file yet. Results appear here as they are made.</Empty>
        ) : (
          <FileList files={results} runId={runId} workflow={workflow} onOpen={onOpen} />
        )}
      </section>
      {inputs.length > 0 ? (
        <section className="grid gap-2">
          <h2>Inputs</h2>
          <FileList files={inputs} runId={runId} onOpen={onOpen} />
        </section>
      ) : null}
    </div>
  );
}

function FileList({
  files,
  runId,
  workflow,
  onOpen,
}: {
  files: RunFile[];
  runId: string;
  workflow?: Workflow;
  onOpen: (task: number) => void;
}) {
  return (
    <>
      <table className="w-full border bg-surface text-left text-[0.92rem]">
        <thead className="text-[0.82rem] text-muted">
          <tr className="border-b">
            <th className="px-3 py-1.5 font-normal">Name</th>
            <th className="px-3 py-1.5 text-right font-normal">Size</th>
            {workflow ? <th className="px-3 py-1.5 font-normal">Made by</th> : null}
          </tr>
        </thead>
        <tbody>
          {files.slice(0, shownFiles).map((file) => (
            <tr
              key={file.name}
              className="border-b border-rule/60 last:border-b-0"
              data-testid="file-row"
              data-file-name={file.name}
            >
              <td className="break-all px-3 py-1 font-mono text-[0.85rem]">
                {file.transient ? (
                  <>
                    {file.name} <span className="font-sans text-muted">transient, stays on the grid</span>
                  </>
                ) : (
                  <a className="link" href={downloadPath(runId, file.name)} download>
                    {file.name}
                  </a>
                )}
              </td>
              <td className="whitespace-nowrap px-3 py-1 text-right font-mono text-[0.85rem]">{bytes(file.size)}</td>
              {workflow ? <td className="px-3 py-1">{madeBy(workflow, file.task, onOpen)}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
      {files.length > shownFiles ? (
        <p className="text-muted">
          The first {shownFiles} of {counted(files.length, "file")}. The zip has them all.
        </p>
      ) : null}
    </>
  );
}

function madeBy(workflow: Workflow, task: number | null, onOpen: (task: number) => void) {
  if (task === null || task >= workflow.taskCount) return null;
  return (
    <button type="button" className="link text-left" onClick={() => onOpen(task)}>
      {workflow.name(task)}
    </button>
  );
}
