import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseWorkflow } from "@/core/languages";
import { zipOf } from "@/core/zip";
import { runConvert } from "./convert";

/** Runs the command over files in memory. */
async function convert(argv: string[], files: Record<string, string | Uint8Array<ArrayBuffer>>) {
  let stdout = "";
  let stderr = "";
  const written: Record<string, string> = {};
  const zips: Record<string, Uint8Array<ArrayBuffer>> = {};
  const contentOf = (path: string) => {
    const content = Object.entries(files).find(([name]) => resolve(name) === resolve(path))?.[1];
    if (content === undefined) throw new Error("there is no such file");
    return content;
  };
  const io = {
    readFile: async (path: string) => {
      const content = contentOf(path);
      return typeof content === "string" ? content : new TextDecoder().decode(content);
    },
    readBytes: async (path: string) => {
      const content = contentOf(path);
      return typeof content === "string" ? new TextEncoder().encode(content) : content;
    },
    stdout: (text: string) => {
      stdout += text;
    },
    stderr: (text: string) => {
      stderr += text;
    },
  };
  const code = await runConvert(argv, io, async (path, content) => {
    if (path.startsWith("/full/")) throw new Error("no space left");
    if (typeof content === "string") written[path] = content;
    else zips[path] = new Uint8Array(content);
  });
  return { code, stdout, stderr, written, zips };
}

const loop = 'foreach i in 1..3 {\n  task t${i} -e p -o "out${i}"\n}\n';
const dag = "JOB A a.sub\nJOB B a.sub\nPARENT A CHILD B\n";
const submit = "executable = prog\narguments = -x 1\ntransfer_input_files = data.in\nqueue\n";

describe("gridloom convert", () => {
  it("writes the application as JSON", async () => {
    const { code, stdout } = await convert(["w.gadl", "--to", "json"], { "w.gadl": loop });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ groups: [{ loops: [{ variable: "i" }] }] });
  });

  it("writes GRID-ADL that reads back the same", async () => {
    const { code, stdout, stderr } = await convert(["w.gadl", "--to", "gridadl"], { "w.gadl": loop });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: loop, stderr: "" });
  });

  it("reads the files a DAG names, beside it, and says what is lost", async () => {
    const { code, stdout, stderr } = await convert(["d/w.dag", "--to", "gridadl"], {
      "d/w.dag": `${dag}RETRY A 2\n`,
      "d/a.sub": submit,
    });
    expect(code).toBe(0);
    expect(stdout).toContain('-a "-x 1"');
    expect(stdout).toMatch(/^parent \w+ child \w+$/m);
    expect(stderr).toContain("GRID-ADL cannot say a number of retries");
  });

  it.each(["dagman", "wfformat", "grand", "jsdl"])("writes %s, with what belongs to it beside it", async (format) => {
    const { code, written } = await convert(["w.gadl", "--to", format, "-o", "out/w"], { "w.gadl": loop });
    expect(code).toBe(0);
    const read = parseWorkflow(written["out/w"] ?? "", undefined, (name) => written[`out/${name}`]);
    expect(read.format).toBe(format);
    expect(read.problems.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("writes the WfFormat of before for programs that do not know the current one", async () => {
    const { code, stdout } = await convert(["w.gadl", "--to", "wfformat-1.5"], { "w.gadl": loop });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).schemaVersion).toBe("1.5");
    const read = parseWorkflow(stdout);
    expect(read.format).toBe("wfformat");
    expect(read.problems.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("writes everything into a zip, and reads it from one", async () => {
    const { code, zips } = await convert(["w.gadl", "--to", "grand", "-o", "w.zip"], { "w.gadl": loop });
    expect(code).toBe(0);
    const back = await convert(["w.zip", "--to", "gridadl"], { "w.zip": zips["w.zip"]! });
    expect(back.stderr).toBe("");
    expect(parseWorkflow(back.stdout).application.groups).toHaveLength(3);
    expect(back.stdout).toContain(`task "t3" -e "p" -o "out3"`);
    const none = await convert(["w.zip", "--to", "json"], { "w.zip": zipOf([{ name: "a.csv", text: "1" }]) });
    expect([none.code, none.stderr]).toEqual([2, "w.zip cannot be read: there is no workflow in it.\n"]);
  });

  it("writes nothing if the file has errors, which it tells", async () => {
    const { code, stdout, stderr } = await convert(["w.gadl", "--to", "json"], { "w.gadl": "tusk\n" });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain('w.gadl:1:1: Unknown keyword "tusk"');
  });

  it.each([
    [[], "One file"],
    [["w.gadl"], "--to"],
    [["w.gadl", "--to"], "missing after --to"],
    [["w.gadl", "--to", "word"], "no format word"],
    [["w.gadl", "--to", "json", "--fast"], "no option --fast"],
    [["none.gadl", "--to", "json"], "cannot be read"],
    [["w.gadl", "--to", "json", "-o", "/full/x"], "no space left"],
  ])("refuses %j", async (argv, message) => {
    const { code, stderr } = await convert(argv, { "w.gadl": loop });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
