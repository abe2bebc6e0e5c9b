"use client";
/** Which of the files that describe the workflow is shown: a row while they are few, a list to choose from when they are many. */
import { CircleX } from "lucide-react";
import { type Description, mainFile } from "./description";

const mostInRow = 8;

export function FileTabs({
  description,
  withErrors,
  shown,
  onShow,
}: {
  description: Description;
  /** The files that have errors. */
  withErrors: ReadonlySet<string>;
  shown: string;
  onShow: (file: string) => void;
}) {
  const files = [mainFile, ...description.companions.keys()];
  const label = (file: string) => (file === mainFile ? (description.name ?? "Workflow") : file);
  if (files.length === 1) return null;
  if (files.length > mostInRow) {
    return (
      <div className="flex items-center gap-2 border border-b-0 bg-surface px-3 py-1.5 text-[0.88rem]">
        <label htmlFor="description-files" className="text-muted">
          File
        </label>
        <select
          id="description-files"
          value={shown}
          onChange={(event) => onShow(event.target.value)}
          className="min-w-0 flex-1 border bg-paper px-1.5 py-0.5 font-mono text-[0.83rem]"
          data-testid="description-files"
        >
          {files.map((file) => (
            <option key={file} value={file}>
              {label(file)}
              {withErrors.has(file) ? " (has errors)" : ""}
            </option>
          ))}
        </select>
      </div>
    );
  }
  return (
    <fieldset
      aria-label="Files that describe the workflow"
      className="flex overflow-x-auto border border-b-0 bg-surface px-1"
    >
      {files.map((file) => (
        <button
          key={file}
          type="button"
          aria-pressed={file === shown}
          onClick={() => onShow(file)}
          data-testid="description-file"
          data-file-name={label(file)}
          className="inline-flex shrink-0 items-center gap-1.5 border-b-2 border-transparent px-2.5 py-1.5 font-mono text-[0.83rem] text-muted hover:text-ink aria-pressed:border-ink aria-pressed:text-ink"
        >
          {withErrors.has(file) ? <CircleX size={13} className="text-danger" aria-label="has errors" /> : null}
          {label(file)}
        </button>
      ))}
    </fieldset>
  );
}
