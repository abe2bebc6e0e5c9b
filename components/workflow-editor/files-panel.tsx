"use client";
/** The files a workflow needs, each provided or missing, and the way to bring them. */
import { Check, CircleDashed, CircleX, Upload, X } from "lucide-react";
import { useRef } from "react";
import { bytes, percent } from "@/components/ui/format";
import type { FileOverview, FileState } from "./input-files";

const shown = 300;

export function FilesPanel({
  overview,
  onFiles,
  onRemove,
}: {
  overview: FileOverview;
  onFiles: (files: File[]) => void;
  onRemove: (name: string) => void;
}) {
  const chooser = useRef<HTMLInputElement>(null);
  const { needed, companions, unused } = overview;
  const all = [...companions, ...needed];
  return (
    <section aria-label="Files" className="border bg-surface" data-testid="input-files">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b px-3 py-1.5">
        <h2>
          Files{" "}
          <span className="num font-normal text-muted">
            {all.length === 0
              ? "none needed"
              : `${all.filter((file) => file.state.is === "provided").length} of ${all.length} there`}
          </span>
        </h2>
        <button
          type="button"
          className="link inline-flex items-center gap-1.5 text-[0.9rem]"
          onClick={() => chooser.current?.click()}
        >
          <Upload size={14} aria-hidden="true" /> Choose files
        </button>
        <input
          ref={chooser}
          type="file"
          multiple
          className="sr-only"
          tabIndex={-1}
          aria-label="Choose a workflow, the files it names and its input files"
          data-testid="file-input"
          onChange={(event) => {
            onFiles([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
      </div>
      <ul className="max-h-52 overflow-y-auto text-[0.88rem]">
        {companions.slice(0, shown).map((file) => (
          <FileLine
            key={`describes ${file.name}`}
            name={file.name}
            note="part of the description"
            state={file.state}
            onRemove={onRemove}
          />
        ))}
        {needed.slice(0, shown).map((file) => (
          <FileLine
            key={file.name}
            name={file.name}
            note={file.source ? `from ${file.source}` : undefined}
            state={file.state}
            onRemove={onRemove}
          />
        ))}
        {unused.slice(0, shown).map((file) => (
          <FileLine
            key={file.name}
            name={file.name}
            note="not read by any task"
            state={file.state}
            onRemove={onRemove}
          />
        ))}
      </ul>
      <p className="px-3 py-1.5 text-[0.83rem] text-faint">
        Drop a workflow, the files it names and its input files anywhere on this page.
      </p>
    </section>
  );
}

function FileLine({
  name,
  note,
  state,
  onRemove,
}: {
  name: string;
  note?: string;
  state: FileState | { is: "missing" };
  onRemove: (name: string) => void;
}) {
  const Icon = state.is === "provided" ? Check : state.is === "failed" ? CircleX : CircleDashed;
  return (
    <li
      className="flex items-center gap-2 border-b border-rule/60 px-3 py-1 last:border-b-0"
      data-testid="input-file"
      data-file-name={name}
      data-file-state={state.is}
    >
      <Icon
        size={14}
        aria-hidden="true"
        className={`shrink-0 ${state.is === "provided" ? "text-good" : state.is === "uploading" ? "text-muted" : "text-danger"}`}
      />
      <span className="min-w-0 flex-1 break-all font-mono text-[0.83rem]">
        {name} {note ? <span className="font-sans text-faint">{note}</span> : null}
      </span>
      <span className="num shrink-0 text-muted">{words(state)}</span>
      {state.is === "missing" ? null : (
        <button
          type="button"
          onClick={() => onRemove(name)}
          aria-label={`Remove ${name}`}
          className="rounded-sm p-0.5 hover:bg-sunken"
        >
          <X size={13} aria-hidden="true" />
        </button>
      )}
    </li>
  );
}

function words(state: FileState | { is: "missing" }): string {
  switch (state.is) {
    case "provided":
      return bytes(state.file.size);
    case "uploading":
      return `${percent(state.sent, state.size)} sent`;
    case "failed":
      return state.sentence;
    case "missing":
      return "missing: drop it here";
  }
}
