/** A result as the journal keeps it for later runs. It is written in the batch of its outcome. */
import type { AttemptRef } from "@/core/engine/ids";
import type { OutputFile } from "@/core/engine/outcome";

export interface ReusableRecord {
  is: "reusable";
  owner: string;
  /** Hex. */
  key: string;
  taskName: string;
  parts: object;
  outputs: OutputFile[];
  attempt: AttemptRef;
  at: number;
}
