"use client";
/** Sends files to the portal, with progress. An XMLHttpRequest, because fetch does not tell how much was sent. */
import { useRef, useState } from "react";
import type { UploadedFile } from "@/server/api/views";
import type { FileState, FileStates } from "./input-files";

export function useUploads(initial: readonly UploadedFile[], onChange: () => void) {
  const [files, setFiles] = useState<FileStates>(
    () => new Map(initial.map((file) => [file.name, { is: "provided", file }])),
  );
  // Who waits for uploads to end wants to know what became of them, which is later than the page he was called from.
  const latest = useRef(files);
  const requests = useRef(new Map<string, { request: XMLHttpRequest; ended: Promise<void> }>());
  const set = (name: string, state: FileState | undefined) => {
    const next = new Map(latest.current);
    if (state) next.set(name, state);
    else next.delete(name);
    latest.current = next;
    setFiles(next);
  };

  function upload(name: string, file: File) {
    requests.current.get(name)?.request.abort();
    const request = new XMLHttpRequest();
    const fail = (sentence: string) => set(name, { is: "failed", sentence });
    const ended = new Promise<void>((resolve) => {
      request.onloadend = () => resolve();
    });
    requests.current.set(name, { request, ended });
    request.upload.onprogress = (event) => set(name, { is: "uploading", sent: event.loaded, size: file.size });
    request.onload = () => {
      const answer = readAnswer(request.responseText);
      if (request.status === 200 && answer && "sha256" in answer) {
        set(name, { is: "provided", file: answer });
        onChange();
      } else fail(answer && "error" in answer ? answer.error : "The portal did not take the file.");
    };
    request.onerror = () => fail("The connection broke off. Drop the file again.");
    request.open("PUT", `/api/upload?name=${encodeURIComponent(name)}`);
    set(name, { is: "uploading", sent: 0, size: file.size });
    request.send(file);
  }

  function remove(name: string) {
    requests.current.get(name)?.request.abort();
    set(name, undefined);
    onChange();
  }

  /** What there is when nothing is on its way any more. */
  async function settled(): Promise<FileStates> {
    await Promise.all([...requests.current.values()].map(({ ended }) => ended));
    return latest.current;
  }

  return { files, upload, remove, settled };
}

function readAnswer(text: string): UploadedFile | { error: string } | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer !== "object" || answer === null) return undefined;
    if ("error" in answer && typeof answer.error === "string") return { error: answer.error };
    if ("name" in answer && "sha256" in answer && "size" in answer) {
      return { name: String(answer.name), sha256: String(answer.sha256), size: Number(answer.size) };
    }
    return undefined;
  } catch {
    // A proxy's error page, not the portal's answer.
    return undefined;
  }
}
