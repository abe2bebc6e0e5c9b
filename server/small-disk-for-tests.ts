/**
 * A disk that can be filled: a small tmpfs, which root mounts. Anybody else runs the test once more inside namespaces of
 * their own, in which they may mount (the words are those of core/protocol/namespaces.ts: root inside for the mount, then
 * themselves again, because PostgreSQL refuses to run as root).
 */
import { spawnSync } from "node:child_process";
import { statfsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const given = process.env.GRIDLOOM_TEST_SMALL_DISK;

export class SmallDisk {
  private readonly filler: string;

  private constructor(
    readonly directory: string,
    private readonly unmount: () => Promise<void>,
  ) {
    this.filler = join(directory, "filler");
  }

  /** Undefined: this account may not mount; use {@link runInNamespaces}. */
  static async make(megabytes: number): Promise<SmallDisk | undefined> {
    if (given) return new SmallDisk(given, async () => {});
    if (process.getuid?.() !== 0) return undefined;
    const directory = await mkdtemp(join(tmpdir(), "gridloom-small-disk-"));
    run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=711`, "tmpfs", directory]);
    return new SmallDisk(directory, async () => {
      run("umount", [directory]);
      await rm(directory, { recursive: true });
    });
  }

  /** Takes the room that is left, to the last page. */
  async fill(): Promise<void> {
    const { bavail, bsize } = statfsSync(this.directory);
    const page = Buffer.alloc(bsize, 1);
    await writeFile(this.filler, "");
    for (let written = 0; written < bavail + 16; written++) {
      try {
        await writeFile(this.filler, page, { flag: "a" });
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOSPC") return;
        throw error;
      }
    }
    throw new Error("The disk does not get full.");
  }

  async free(): Promise<void> {
    await truncate(this.filler, 0);
  }

  async remove(): Promise<void> {
    await this.unmount();
  }
}

/** Runs a test file again where this account may mount. Returns what it printed; throws unless it passed. */
export async function runInNamespaces(testFile: string, megabytes: number): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "gridloom-small-disk-"));
  await chmod(directory, 0o755);
  await mkdir(join(directory, "disk"));
  const disk = join(directory, "disk");
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  const inner = `exec unshare --user --map-user=${uid} --map-group=${gid} -- npx vitest run --project integration ${testFile}`;
  const script = `mount -t tmpfs -o size=${megabytes}m,mode=755 tmpfs ${disk} && ${inner}`;
  const environment = { ...process.env, GRIDLOOM_TEST_SMALL_DISK: disk };
  try {
    run("unshare", ["--user", "--map-root-user", "--mount", "--", "sh", "-c", script], environment);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function run(program: string, words: string[], environment = process.env): void {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: "utf8", env: environment });
  if (status !== 0) throw new Error(`${program} ended with ${status ?? error}:\n${stdout}\n${stderr}`);
}
