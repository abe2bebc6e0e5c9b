/** `gridloom run` with a real engine of its own: results in the folder, failures in words, the exit code to go by. */

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { countsOf } from "@/core/engine/counts-for-tests";
import { makeTemporaryHome, type TemporaryHome } from "@/server/temporary-home";
import { type CommandIo, processIo } from "./io";
import { runRun } from "./run";

let temporary: TemporaryHome;
let work: string;
let told: string;
let printed: string;
let io: CommandIo;

beforeEach(async () => {
  temporary = await makeTemporaryHome();
  vi.stubEnv("GRIDLOOM_HOME", temporary.home.root);
  vi.stubEnv("GRIDLOOM_LOCAL_SLOTS", "2");
  work = `${temporary.home.root}-work`;
  await mkdir(work);
  told = "";
  printed = "";
  io = {
    ...processIo(),
    stdout: (text) => {
      printed += text;
    },
    stderr: (text) => {
      told += text;
    },
    terminalColumns: () => undefined,
  };
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await temporary.remove();
});

describe("gridloom run", () => {
  it("takes the branch that an exit code decides, and goes on after it", async () => {
    const file = await workflow(
      "branch.gadl",
      `task check -e "echo checked > check.out; exit 3" -o check.out
task good -e "echo good > good.out" -o good.out -w check=0
task bad -e "echo bad > bad.out" -o bad.out -w check=3
task both -e "cat *.out > all.txt" -i check.out good.out bad.out -o all.txt -j
`,
    );
    expect(await runRun([file, "--out", join(work, "out"), "--json"], io), told).toBe(0);
    expect(await readFile(join(work, "out", "all.txt"), "utf8")).toBe("bad\nchecked\n");
    expect(JSON.parse(printed)).toMatchObject({ state: "succeeded", counts: countsOf({ finished: 3, skipped: 1 }) });
  });

  it("leaves a rescue DAG of what did not get through, and runs the rest of it", async () => {
    await writeFile(join(work, "in.txt"), "first\n");
    const file = await workflow(
      "rest.gadl",
      `task a -e "cat in.txt > a.txt" -i in.txt -o a.txt
task b -e "cat a.txt more.txt > b.txt" -i a.txt -o b.txt
`,
    );
    const out = join(work, "out");
    expect(await runRun([file, "--out", out, "--json", "--retries", "0"], io), told).toBe(1);
    const { rescue } = JSON.parse(printed);
    expect(rescue).toBe(join(out, "rest.rescue.dag"));
    const mended = (await readFile(rescue, "utf8")).replace("cat a.txt more.txt", "cat a.txt in.txt");
    expect(mended).toMatch(/\} DONE$/m);
    await writeFile(rescue, mended.replace("transfer_input_files = a.txt", "transfer_input_files = a.txt, in.txt"));
    expect(await runRun([rescue, "--inputs", work, "--out", join(work, "rest")], io), told).toBe(0);
    expect(await readFile(join(work, "rest", "b.txt"), "utf8")).toBe("first\nfirst\n");
  });

  it("gives a task that was killed for memory more, without taking a retry from it", async () => {
    const file = await workflow(
      "hog.gadl",
      `task hog -e "(head -c 60000000 /dev/zero; sleep 3) | tail -c 60000000 | wc -c > size.txt" -o size.txt -q memory=40MB\n`,
    );
    expect(await runRun([file, "--out", join(work, "out"), "--retries", "0"], io), told).toBe(0);
    expect(await readFile(join(work, "out", "size.txt"), "utf8")).toContain("60000000");
  });

  it("adds the tasks that a task hands in, and those that these hand in, and says what cannot be added", async () => {
    // Each step writes the next one until the third: a loop of a length nobody knew.
    const step = (n: number, then: string) =>
      `task step${n} -e "echo ${n} > s${n}; ${then} > next${n}.gadl" -o s${n} -s next${n}.gadl`;
    await writeFile(join(work, "second.txt"), `${step(2, "cat third.txt").replace(" -o", " -i third.txt -o")}\n`);
    await writeFile(
      join(work, "third.txt"),
      `${step(3, "printf ''")}\ntask all -e "cat s1 s2 s3 > all.txt" -i s1 s2 s3 -o all.txt\n`,
    );
    const file = await workflow(
      "loop.gadl",
      `${step(1, "cat second.txt").replace(" -o", " -i second.txt third.txt -o")}
task wrong -e "echo 'task x -e true -i nobody.txt' > w.gadl" -s w.gadl
`,
    );
    expect(await runRun([file, "--out", join(work, "out"), "--json", "--retries", "0"], io), told).toBe(1);
    expect(await readFile(join(work, "out", "all.txt"), "utf8")).toBe("1\n2\n3\n");
    expect(JSON.parse(printed)).toMatchObject({ counts: countsOf({ finished: 4, failed: 1 }) });
    expect(printed).toContain('Task \\"x\\" reads \\"nobody.txt\\", which nobody provides or writes');
  });

  it("brings inputs from beside the file and from absolute places, and leaves transient files out", async () => {
    await writeFile(join(work, "elsewhere.txt"), "absolute\n");
    await mkdir(join(work, "flow"));
    await writeFile(join(work, "flow", "größe 'x'.txt"), "beside\n");
    const file = await workflow(
      "flow/join.gadl",
      `transient middle.txt
task A -e "cat *.txt > middle.txt" -i "größe 'x'.txt;${work}/elsewhere.txt" -o middle.txt
task B -e "cat middle.txt > result.txt" -i middle.txt -o result.txt
`,
    );
    const out = join(work, "results");
    expect(await runRun([file, "--out", out], io)).toBe(0);
    expect(await readdir(out)).toEqual(["result.txt"]);
    expect(await readFile(join(out, "result.txt"), "utf8")).toBe("absolute\nbeside\n");
  });

  it("tells which task failed, why, and the end of its standard error; the rest is still delivered", async () => {
    const file = await workflow(
      "partly.gadl",
      `task good -e "echo fine > good.txt" -o good.txt
task bad -e "echo 'no such allele' >&2; exit 3"
`,
    );
    const out = join(work, "results");
    expect(await runRun([file, "--out", out, "--json"], io)).toBe(1);
    expect(told).toContain("task bad failed after 2 attempts: The program ended with exit code 3.");
    expect(told).toContain("    no such allele");
    expect(await readdir(out)).toEqual(["good.txt", "partly.rescue.dag"]);
    expect(JSON.parse(printed)).toMatchObject({ state: "failed", files: ["good.txt"], failures: [{ task: "bad" }] });
  });

  it("says what is wrong with a workflow in the words of check, without starting anything", async () => {
    const file = await workflow("broken.gadl", `task A -e "cat x" -i x.txt\n`);
    expect(await runRun([file], io)).toBe(1);
    expect(told).toContain(`${file}:1:1: The input "x.txt" of task "A" is missing`);
    await expect(readdir(temporary.home.root)).rejects.toThrow(/ENOENT/);
  });

  it("runs by the policies of a file, says why nothing runs, and can be interrupted then", async () => {
    const policies = join(work, "policies.json");
    await writeFile(policies, JSON.stringify({ jobRequirements: "Memory >= 999999999" }));
    const file = await workflow("picky.gadl", "task A -e true\n");
    const ended = runRun([file, "--out", join(work, "results"), "--policies", policies, "--retries", "0"], io);
    await expect
      .poll(() => told, { timeout: 30_000 })
      .toMatch(/Nothing runs\. 1 task could run: none of 1 host matches: .*Memory >= 999999999/);
    process.emit("SIGINT");
    expect(await ended).toBe(130);

    await writeFile(policies, JSON.stringify({ jobRequirements: "Memory >= 1", rank: "Cpus" }));
    expect(await runRun([file, "--out", join(work, "results"), "--policies", policies], io)).toBe(0);
  });

  it("refuses policies that cannot be read before anything is started", async () => {
    const policies = join(work, "policies.json");
    await writeFile(policies, JSON.stringify({ rank: "1 +" }));
    const file = await workflow("plain.gadl", "task A -e true\n");
    expect(await runRun([file, "--policies", policies], io)).toBe(2);
    expect(told).toMatch(/policies\.json: Rank, line 1, column \d+: /);
    await expect(readdir(temporary.home.root)).rejects.toThrow(/ENOENT/);
  });

  it("answers wrong usage with code 2", async () => {
    expect(await runRun([], io)).toBe(2);
    expect(await runRun(["a", "b"], io)).toBe(2);
    expect(await runRun(["a", "--frobnicate"], io)).toBe(2);
  });
});

async function workflow(name: string, text: string): Promise<string> {
  const file = join(work, name);
  await writeFile(file, text);
  return file;
}
