/**
 * The name a file has in a task's directory. Tasks may only write below their own directory, so a destination is
 * relative and never goes up. An absolute input is a file of the submitter's, staged under its last component.
 */
import { hasAllowedLength, nameTooLong } from "@/core/file-name-length";

export type Destination = { is: "inside"; name: string; absolute: boolean } | { is: "refused"; reason: string };

export function inputDestination(written: string): Destination {
  if (!isAbsolute(written)) return relativeDestination(written);
  const last = written.split(isWindowsPath(written) ? /[\\/]+/ : /\/+/).findLast((part) => part !== "");
  if (last === undefined || /^[A-Za-z]:$/.test(last)) return { is: "refused", reason: "names a directory, not a file" };
  const destination = relativeDestination(last);
  return destination.is === "inside" ? { ...destination, absolute: true } : destination;
}

export function outputDestination(written: string): Destination {
  if (isAbsolute(written)) {
    return { is: "refused", reason: "is absolute; a task writes into its own directory, so give a relative name" };
  }
  return relativeDestination(written);
}

function relativeDestination(written: string): Destination {
  // The common case first: this runs for every file of a million tasks.
  if (written !== "" && !/[/\0]|^\.\.?$/.test(written) && hasAllowedLength(written)) {
    return { is: "inside", name: written, absolute: false };
  }
  const parts = written.split("/").filter((part) => part !== "" && part !== ".");
  if (written.includes("\0")) return { is: "refused", reason: "contains a NUL character" };
  if (parts.includes("..")) return { is: "refused", reason: 'contains "..", which leads out of the task\'s directory' };
  if (parts.length === 0 || written.endsWith("/")) return { is: "refused", reason: "names a directory, not a file" };
  const name = parts.join("/");
  return hasAllowedLength(name) ? { is: "inside", name, absolute: false } : { is: "refused", reason: nameTooLong };
}

function isAbsolute(name: string): boolean {
  return name.startsWith("/") || isWindowsPath(name);
}

/** `C:\data\x` or `\\server\share\x` (Appendix I has both). */
function isWindowsPath(name: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(name);
}
