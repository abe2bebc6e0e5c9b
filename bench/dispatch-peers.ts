/**
 * What others make of no-op tasks, on the same number of slots: each in its usual way, each only if it is installed and, for
 * those that need a server, if one answers. A peer's rate is that of whole runs, from the command to the last task's end.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Peer {
  name: string;
  tasks: number;
  /** Why it cannot be measured here; undefined if it can. */
  missing(): string | undefined;
  /** `directory` is its own, and empty. */
  run(tasks: number, slots: number, directory: string): void;
}

/** `xargs -P` remembers nothing; GNU parallel with a job log and results does. */
export const peers: readonly Peer[] = [
  {
    name: "xargs",
    tasks: 1000,
    missing: () => undefined,
    run: (tasks, slots) => command("xargs", ["-P", String(slots), "-n", "1", "true"], numbers(tasks)),
  },
  {
    name: "parallel",
    tasks: 1000,
    missing: () => unlessRuns("parallel", "--version"),
    run: (tasks, slots, directory) => {
      const log = join(directory, "log");
      const results = join(directory, "results");
      command("parallel", ["-j", String(slots), "--joblog", log, "--results", results, "true"], numbers(tasks));
    },
  },
  {
    name: "slurm_array",
    tasks: 100,
    missing: () => unlessRuns("sinfo", "--noheader"),
    // As many at a time as its nodes have processors: a limit on the array itself would slow it down.
    run: (tasks, _slots, directory) => {
      const array = `--array=1-${tasks}`;
      const id = command("sbatch", ["--parsable", array, "--output=/dev/null", `--chdir=${directory}`, "--wrap=true"]);
      // Not with --wait, which looks only every few seconds.
      while (command("squeue", ["--noheader", `--jobs=${id.trim()}`]).trim() !== "") command("sleep", ["0.1"]);
    },
  },
  {
    name: "snakemake",
    tasks: 100,
    missing: () => unlessRuns("snakemake", "--version"),
    run: (tasks, slots, directory) => {
      const rules = `rule all:
    input: expand("done/{n}", n=range(${tasks}))
rule noop:
    output: touch("done/{n}")
    shell: "true"
`;
      writeFileSync(join(directory, "Snakefile"), rules);
      command("snakemake", [
        "--quiet",
        "--cores",
        String(slots),
        "--directory",
        directory,
        "--snakefile",
        join(directory, "Snakefile"),
      ]);
    },
  },
  {
    name: "hyperqueue",
    tasks: 1000,
    missing: () => unlessRuns("hq", "server", "info"),
    run: (tasks) => command("hq", ["submit", "--wait", `--array=1-${tasks}`, "--stdout=none", "--stderr=none", "true"]),
  },
];

export function rateOf(peer: Peer, slots: number, directory: string): number {
  mkdirSync(directory, { recursive: true });
  const started = performance.now();
  peer.run(peer.tasks, slots, directory);
  return (peer.tasks / (performance.now() - started)) * 1000;
}

function numbers(count: number): string {
  return Array.from({ length: count }, (_, index) => index).join("\n");
}

function command(program: string, args: string[], input = ""): string {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ended with status ${status}: ${stderr.slice(-500)}`);
  return stdout;
}

function unlessRuns(program: string, ...args: string[]): string | undefined {
  const { status, error } = spawnSync(program, args, { timeout: 20_000 });
  if (error) return "not installed";
  return status === 0 ? undefined : "installed, but no server answers";
}
