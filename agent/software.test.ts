import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countGpus, softwareOf, withSoftware } from "./software";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gridloom-software-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function script(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
}

function run(words: readonly string[]): { status: number | null; stdout: string } {
  const { status, stdout } = spawnSync(words[0] ?? "", words.slice(1), { cwd: directory, encoding: "utf8" });
  return { status, stdout };
}

describe("software that a host brings to a task", () => {
  it("is a module loaded before the program, whose words stay words", () => {
    const modules = script("init", 'module() { [ "$2" = gcc/12 ] && LOADED=$2 && export LOADED; }');
    const words = ["/bin/sh", "-c", 'echo "$LOADED $1"', "sh", "a b; $(echo no)"];
    const found = withSoftware(words, [{ is: "module", name: "gcc/12" }], { modules });
    expect("words" in found && run(found.words)).toEqual({ status: 0, stdout: "gcc/12 a b; $(echo no)\n" });
    const other = withSoftware(words, [{ is: "module", name: "none" }], { modules });
    expect("words" in other && run(other.words).status).toBe(127);
  });

  it("is a container around a conda environment, in the order given", () => {
    const conda = script("conda", 'echo "conda: $*"');
    const path = script("apptainer", 'shift; echo "in $1"; shift; exec "$@"');
    const software = [
      { is: "container", name: "lab.sif" },
      { is: "conda", name: "rna" },
    ] as const;
    const found = withSoftware(["blast", "x"], software, { conda, container: { runtime: "apptainer", path } });
    expect("words" in found && run(found.words).stdout).toBe(
      "in lab.sif\nconda: run --no-capture-output -n rna blast x\n",
    );
  });

  it("gives Podman the task's directory under its own name", () => {
    const path = script("podman", 'echo "$*"');
    const found = withSoftware(["x"], [{ is: "container", name: "alpine:3" }], {
      container: { runtime: "podman", path },
    });
    expect("words" in found && run(found.words).stdout).toBe(
      `run --rm -v ${directory}:${directory} -w ${directory} alpine:3 x\n`,
    );
  });

  it("is named as missing where the host has no means", () => {
    expect(withSoftware(["x"], [{ is: "conda", name: "rna" }], {})).toEqual({
      missing: 'This host has nothing to bring the conda "rna" with.',
    });
    expect(withSoftware(["x"], [{ is: "installed", name: "blast" }], {})).toEqual({ words: ["x"] });
  });

  it("is listed by what brings it", async () => {
    const conda = script("conda", "printf '# environments:\\nbase  * /c\\nrna    /c/envs/rna\\n'");
    const modules = script("init", "module() { printf '/opt/mods:\\ngcc/12\\nR/4.3\\n' >&2; }");
    expect(await softwareOf({ conda, modules })).toEqual([
      "conda",
      "conda:base",
      "conda:rna",
      "module",
      "module:gcc/12",
      "module:R/4.3",
    ]);
    expect(await softwareOf({})).toEqual([]);
  });

  it("counts graphics processors by their devices", () => {
    for (const name of ["nvidia0", "nvidia1", "nvidiactl", "null"]) script(name, "");
    expect(countGpus(directory)).toBe(2);
    expect(countGpus(join(directory, "none"))).toBe(0);
  });
});
