/**
 * The files a cluster has (GR-9). A file travels to a cluster once: whoever needs it while it is on its way waits for
 * the same transfer, and later it is there. Without a cache every attempt fetches its own copy.
 */
import type { Link } from "./link";

export interface SizedFile {
  readonly name: string;
  readonly bytes: number;
}

/** On its way, with those who wait for it. */
type Coming = (() => void)[];

export class FileCache {
  hits = 0;
  private readonly files = new Map<string, Coming | "here">();

  constructor(
    private readonly link: Link,
    private readonly keeps: boolean,
  ) {}

  /** A task of this cluster wrote it. */
  keep(file: SizedFile): void {
    if (this.keeps && !this.files.has(file.name)) this.files.set(file.name, "here");
  }

  /** Calls `done` when all the files are there, at once if they are. What is returned stops what was fetched for nobody else. */
  fetch(files: readonly SizedFile[], done: () => void): { stop(): void } {
    const own: { stop(): void }[] = [];
    let missing = 1;
    const arrived = () => {
      missing -= 1;
      if (missing === 0) done();
    };
    for (const file of files) {
      if (this.link.isInstant(file.bytes)) continue;
      const known = this.keeps ? this.files.get(file.name) : undefined;
      if (known === "here") {
        this.hits += 1;
        continue;
      }
      missing += 1;
      if (known) {
        this.hits += 1;
        known.push(arrived);
      } else if (this.keeps) this.bring(file, arrived);
      else own.push(this.link.start(file.bytes, arrived));
    }
    arrived();
    return {
      stop: () => {
        missing = Number.POSITIVE_INFINITY;
        for (const transfer of own) transfer.stop();
      },
    };
  }

  private bring(file: SizedFile, arrived: () => void): void {
    const waiting: Coming = [arrived];
    this.files.set(file.name, waiting);
    this.link.start(file.bytes, () => {
      this.files.set(file.name, "here");
      for (const tell of waiting) tell();
    });
  }
}
