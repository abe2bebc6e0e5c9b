"use client";
/** Sends input files to the portal, with progress. An XMLHttpRequest, because fetch does not tell how much was sent. */
import { useRef, useState } from "react";
import type { UploadedFile } from "@/server/api/views";
import type { FileState, FileStates } from "./input-files";

export function useUploads(initial: readonly UploadedFile[], onChange: () => void) {
  const [files, setFiles] = useState<FileStates>(
    () => new Map(initial.map((file) => [file.name, { is: "provided", file }])),
  );
  const requests = useRef(new Map<string, XMLHttpRequest>());
  const set = (name: string, state: FileState | undefined) =>
    setFiles((old) => {
      const next = new Map(old);
      if (state) next.set(name, state);
      else next.delete(name);
      return next;
    });

  function upload(name: string, file: File) {
    requests.current.get(name)?.abort();
    const request = new XMLHttpRequest();
    requests.current.set(name, request);
    const fail = (sentence: string) => set(name, { is: "failed", sentence });
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
    requests.current.get(name)?.abort();
    set(name, undefined);
    onChange();
  }

  return { files, upload, remove };
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
