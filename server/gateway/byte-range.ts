/**
 * The `Range` header of HTTP, as far as agents use it: one range of bytes. Anything else means the whole file.
 */
import type { ByteRange } from "@/server/files/store";

export function parseRange(header: string | undefined, size: number): ByteRange | undefined | "unsatisfiable" {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  if (match[1] === "") {
    const length = Math.min(Number(match[2]), size);
    return length > 0 ? { start: size - length, end: size - 1 } : "unsatisfiable";
  }
  const start = Number(match[1]);
  const end = match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== "" && Number(match[2]) < start) return undefined;
  return start < size ? { start, end } : "unsatisfiable";
}
