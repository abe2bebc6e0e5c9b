"use client";
/**
 * A workflow as it is being written: its name, the texts that describe it, its files, and what became of the files that
 * were dropped last. Nothing is sent but files, until the page asks for what to store.
 */
import { useRef, useState } from "react";
import { formats } from "@/core/languages";
import type { WorkflowDetail } from "@/server/api/views";
import { type Description, mainFile, withoutCompanion, withText } from "./description";
import { type Choice, type ReadFile, readDropped, type Sorted, sortDropped } from "./dropped-files";
import { providedFiles } from "./input-files";
import { inputNames, unpackDropped } from "./unpack";
import { useUploads } from "./use-uploads";

export interface Question {
  candidates: { name: string; title: string }[];
  dropped: ReadFile<File>[];
}

export interface DropReport {
  /** Spoken: what the page shows anyway is said to those who do not see it. */
  kind: "spoken" | "info" | "caution";
  sentence: string;
}

/** A file the description needs did not reach the portal; the message is for the reader. */
export class FileNotStored extends Error {
  constructor(file: string, why: string) {
    super(`${file} was not stored. ${why}`);
    this.name = "FileNotStored";
  }
}

export function useDraft(initial?: WorkflowDetail) {
  const [name, setName] = useState(initial?.name ?? "");
  const [description, setDescription] = useState<Description>(() => ({
    name: initial?.sourceName ?? undefined,
    text: initial?.source ?? "",
    companions: new Map(initial?.companions.map((companion) => [companion.name, companion.text])),
  }));
  const [dirty, setDirty] = useState(false);
  /** Counts changes, to tell whether something was typed while it was being stored. */
  const version = useRef(0);
  const touch = () => {
    version.current += 1;
    setDirty(true);
  };
  const [question, setQuestion] = useState<Question>();
  const [report, setReport] = useState<DropReport>();
  /** Companions whose text is newer than what was uploaded. */
  const edited = useRef(new Set<string>());
  const { files, upload, remove, settled } = useUploads(initial?.files ?? [], touch);

  function edit(file: string, text: string) {
    setDescription((old) => withText(old, file, text));
    if (file !== mainFile) edited.current.add(file);
    setReport(undefined);
    touch();
  }

  async function take(chosen: readonly File[]) {
    if (chosen.length === 0) return;
    const { files: unpacked, refused } = await unpackDropped(chosen, inputNames(description));
    place(await readDropped(unpacked));
    if (refused.length > 0) setReport({ kind: "caution", sentence: refused.join(" ") });
  }

  function answer(choice: Choice) {
    if (question) place(question.dropped, choice);
  }

  function place(dropped: ReadFile<File>[], choice?: Choice) {
    const sorted = sortDropped(dropped, description, files, choice);
    setQuestion(sorted.is === "choice" ? { candidates: sorted.candidates, dropped } : undefined);
    setReport(reportOf(sorted, description));
    if (sorted.is === "choice") return;
    let next = description;
    if (sorted.is === "workflow") {
      next = { ...next, name: sorted.main.name, text: sorted.main.text };
      if (name.trim() === "") setName(sorted.main.name.replace(/(?<=.)\.[^.]+$/, ""));
    }
    for (const companion of sorted.companions) {
      next = withText(next, companion.name, companion.text);
      edited.current.delete(companion.name);
    }
    setDescription(next);
    touch();
    for (const file of [...sorted.companions, ...sorted.inputs]) upload(file.name, file.file);
  }

  function removeFile(file: string) {
    remove(file);
    edited.current.delete(file);
    setDescription((old) => withoutCompanion(old, file));
  }

  /** What the portal is to store, when every file has reached it. */
  async function content() {
    const before = await settled();
    const changed = [...edited.current];
    edited.current.clear();
    for (const [file, text] of description.companions) {
      // One that did not get through when it was dropped is tried again.
      if (changed.includes(file) || before.get(file)?.is !== "provided") upload(file, new File([text], file));
    }
    const states = await settled();
    for (const file of description.companions.keys()) {
      const state = states.get(file);
      if (state?.is !== "provided") {
        for (const each of changed) edited.current.add(each);
        throw new FileNotStored(file, state?.is === "failed" ? state.sentence : "Drop it again.");
      }
    }
    return {
      version: version.current,
      name: name.trim() || suggestName(description.text),
      source: description.text,
      sourceName: description.name ?? null,
      files: providedFiles(states).map((file) => ({ name: file.name, sha256: file.sha256 })),
    };
  }

  return {
    name,
    rename(changed: string) {
      setName(changed);
      touch();
    },
    description,
    files,
    dirty,
    question,
    report,
    edit,
    take,
    answer,
    removeFile,
    content,
    stored(as: string, atVersion: number) {
      setName(as);
      if (version.current === atVersion) setDirty(false);
    },
  };
}

function reportOf(sorted: Sorted<File>, present: Description): DropReport | undefined {
  const replaces = present.text.trim() !== "";
  if (sorted.is === "workflow") {
    const format = `Format of ${sorted.main.name}: ${sorted.format.title}.`;
    if (!replaces) return { kind: "spoken", sentence: format };
    return {
      kind: "info",
      sentence: `${format} Its text has taken the place of the one before; undo brings that back.`,
    };
  }
  if (sorted.is === "choice" || replaces) return undefined;
  const readable = formats.map(({ title }) => title).toReversed();
  const kept = sorted.inputs.length === 1 ? "It was kept as an input file" : "They were kept as input files";
  return {
    kind: "caution",
    sentence: `There is no workflow among what you brought. ${kept}. Formats that are read: ${readable.join(", ")}.`,
  };
}

function suggestName(text: string): string {
  const comment = /^\s*#+\s*(\S.*)$/m.exec(text)?.[1]?.trim();
  return (comment ?? "Untitled workflow").slice(0, 80);
}
