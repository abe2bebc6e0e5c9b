/**
 * Where the files of active runs are, as far as it is worth remembering: what tasks made lately is what their
 * successors ask for next. Bounded; what was dropped is looked up in the journal.
 */
import type { RunId } from "@/core/engine/ids";
import type { FileContent } from "@/server/journal/queries/lookup-inputs";

export class FileIndex {
  private readonly files = new Map<string, FileContent>();

  constructor(private readonly limit = 200_000) {}

  set(run: RunId, file: FileContent): void {
    const key = `${run}/${file.name}`;
    this.files.delete(key);
    this.files.set(key, file);
    if (this.files.size <= this.limit) return;
    for (const oldest of this.files.keys()) {
      this.files.delete(oldest);
      return;
    }
  }

  get(run: RunId, name: string): FileContent | undefined {
    return this.files.get(`${run}/${name}`);
  }
}
