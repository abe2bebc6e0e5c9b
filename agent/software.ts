/**
 * Software a host can bring to a task: what is told of it (the host's `Software` list), and the words that bring it: an
 * environment module, a conda environment, a container. Names from the workflow are words of a command, never text
 * of a shell. Containers by Apptainer or Podman, which need no rights the task does not have; a daemon that runs as root
 * would lead out of the task's account, so Docker is not used.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Assignment } from "@/core/protocol/agent";
import { runProgram } from "./run-program";
import { taskPath } from "./task-environment";

export type Software = NonNullable<Assignment["software"]>[number];

/** Where the means are on this host; absent: there is none. */
export interface Means {
  conda?: string;
  /** A file that, read by a shell, makes `module` known. */
  modules?: string;
  container?: { runtime: "apptainer" | "podman"; path: string };
}

const condaPlaces = ["/opt/conda/bin/conda", "/opt/miniconda3/bin/conda", "/opt/miniforge3/bin/conda"];
const moduleFiles = [
  "/usr/share/lmod/lmod/init/sh",
  "/usr/share/modules/init/sh",
  "/usr/share/Modules/init/sh",
  "/etc/profile.d/lmod.sh",
  "/etc/profile.d/modules.sh",
];

export function findMeans(): Means {
  const onPath = (name: string) =>
    taskPath
      .split(":")
      .map((directory) => join(directory, name))
      .find(isFile);
  const conda = onPath("conda") ?? condaPlaces.find(isFile);
  const modules = moduleFiles.find(isFile);
  const apptainer = onPath("apptainer") ?? onPath("singularity");
  const podman = onPath("podman");
  return {
    ...(conda !== undefined && { conda }),
    ...(modules !== undefined && { modules }),
    ...(apptainer !== undefined
      ? { container: { runtime: "apptainer", path: apptainer } }
      : podman !== undefined && { container: { runtime: "podman", path: podman } }),
  };
}

/** The command with everything it needs around it, the first of the list outermost. Nothing if the host has no means. */
export function withSoftware(
  words: readonly string[],
  software: readonly Software[],
  means: Means,
): { words: readonly string[] } | { missing: string } {
  let around = words;
  for (const { is, name } of [...software].reverse()) {
    const brought = bring(around, is, name, means);
    if (!brought) return { missing: `This host has nothing to bring the ${is} "${name}" with.` };
    around = brought;
  }
  return { words: around };
}

function bring(
  words: readonly string[],
  is: Software["is"],
  name: string,
  means: Means,
): readonly string[] | undefined {
  switch (is) {
    case "installed":
      return words;
    case "conda":
      return means.conda === undefined
        ? undefined
        : [means.conda, "run", "--no-capture-output", name.startsWith("/") ? "-p" : "-n", name, ...words];
    case "module":
      return means.modules === undefined
        ? undefined
        : ["/bin/sh", "-c", loadModule, "sh", means.modules, name, ...words];
    case "container": {
      const { runtime, path } = means.container ?? {};
      if (path === undefined) return undefined;
      // The task's directory is the working directory, inside as outside.
      return runtime === "apptainer"
        ? [path, "exec", name, ...words]
        : [
            "/bin/sh",
            "-c",
            'run=$1 image=$2; shift 2; exec "$run" run --rm -v "$PWD:$PWD" -w "$PWD" "$image" "$@"',
            "sh",
            path,
            name,
            ...words,
          ];
    }
  }
}

const loadModule = '. "$1" || exit 127; module load "$2" || exit 127; shift 2; exec "$@"';

const mostNames = 64;
const mostSaid = 20_000;

/** For the host's `Software` list; what it takes longer to find out than a start may take is left out. */
export async function softwareOf(means: Means): Promise<string[]> {
  const names: string[] = [];
  if (means.container) names.push("container", means.container.runtime);
  if (means.conda !== undefined) {
    const { said } = await runProgram([means.conda, "env", "list"], mostSaid);
    const environments = said.split("\n").flatMap((line) => /^([\w.-]+)\s/.exec(line)?.[1] ?? []);
    names.push("conda", ...environments.map((name) => `conda:${name}`));
  }
  if (means.modules !== undefined) {
    const { said, complaint } = await runProgram(
      ["/bin/sh", "-c", '. "$1" && module -t avail 2>&1', "sh", means.modules],
      mostSaid,
    );
    const modules = `${said}\n${complaint}`
      .split("\n")
      .filter((line) => /^[\w.+/-]+$/.test(line) && !line.endsWith("/"));
    names.push("module", ...modules.map((name) => `module:${name}`));
  }
  return names.slice(0, mostNames);
}

/** NVIDIA's devices are numbered files. */
export function countGpus(devices = "/dev"): number {
  try {
    return readdirSync(devices).filter((name) => /^nvidia\d+$/.test(name)).length;
  } catch {
    return 0;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
