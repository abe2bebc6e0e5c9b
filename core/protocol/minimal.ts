/**
 * What a minimal agent says and hears: an agent of one task, in sh and curl, for hosts without a usable Node and for tasks that
 * are not worth the start of one. Text in lines, because that is what a shell can read; the gateway turns it into
 * ordinary exchanges, so the engine knows no difference.
 *
 *   POST /agent/v1/minimal/hello                         facts, one a line            → 204
 *   POST /agent/v1/minimal/task                                                       → 200 {@link taskText}, 204 nothing yet, 410 leave
 *   POST /agent/v1/minimal/alive?attempt=A&epoch=E       while it runs                → `go` or `stop`
 *   PUT  /agent/v1/minimal/output?attempt=A&stream=S     what it printed              → 204
 *   POST /agent/v1/minimal/ended?attempt=A&epoch=E       {@link parseEnd}             → 200 acknowledged, 202 say it again
 *   POST /agent/v1/minimal/bye                                                        → 204
 *
 * Files go by hash as with every agent. All of it may be repeated without harm.
 */
import {
  type AgentOutcome,
  type Assignment,
  type Capability,
  type HostFacts,
  hostFacts,
  isTaskFileName,
} from "./agent";

/** It can be told to stop and is heard of; it sends no output while the task runs, and saves no state. */
const minimalCapabilities: readonly Capability[] = ["heartbeat", "cancel"];

const minimalPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Undefined if some value is not one. */
export function parseHostText(text: string): HostFacts | undefined {
  const told = new Map(
    text.split("\n").map((line) => {
      const [name = "", ...rest] = line.split(" ");
      return [name, rest.join(" ").trim()] as const;
    }),
  );
  const facts = {
    name: told.get("name"),
    os: told.get("os"),
    arch: told.get("arch"),
    cpus: Number(told.get("cpus") ?? 1),
    cpuModel: "",
    memoryBytes: Number(told.get("memory") ?? 0) || 0,
    facts: { Capabilities: [...minimalCapabilities] },
  };
  const parsed = hostFacts.safeParse(facts);
  return parsed.success ? parsed.data : undefined;
}

/** Why a minimal agent cannot do it; undefined if it can. */
export function minimalObstacle({ before, afterwards, answers }: Assignment): string | undefined {
  if (before || afterwards) return "The minimal agent of this host runs no commands before and after a task.";
  if (answers) return "The minimal agent of this host tells no exit codes that other tasks wait for.";
  return undefined;
}

/** The assignment: what to fetch, what to bring, and after the line `script` how to run it. */
export function taskText(assignment: Assignment): string {
  const { attempt, epoch, inputs, outputs, limits, stdout, stderr } = assignment;
  const program = programOf(assignment);
  const lines = [
    `attempt ${attempt} ${epoch}`,
    `wall ${Math.ceil(limits.wallSeconds)}`,
    `stream ${Math.floor(limits.streamBytes)}`,
    ...inputs.map(({ name, sha256, kept }) => {
      const mode = name === program ? "x" : "-";
      return `input ${sha256} ${mode} ${kept ? "kept" : "stored"} ${encodeName(name)}`;
    }),
    ...outputs.map(({ name, transient }) => `output ${transient ? "kept" : "stored"} ${encodeName(name)}`),
    ...(stdout === undefined ? [] : [`stdout ${encodeName(stdout)}`]),
    ...(stderr === undefined ? [] : [`stderr ${encodeName(stderr)}`]),
    "script",
    runScript(assignment),
  ];
  return lines.join("\n");
}

/** The input that is the program, if it is one. */
function programOf({ command, inputs }: Assignment): string | undefined {
  if (command.is !== "exec") return undefined;
  const name = command.executable.replace(/^(\.\/+)+/, "");
  return inputs.some((input) => input.name === name) ? name : undefined;
}

/** Runs in the task's directory, with `$1` as its place for temporary files. Words are data: each is quoted. */
function runScript(assignment: Assignment): string {
  const { command, limits, stdin, environment, runName, taskName, attempt, taskIndex, cores } = assignment;
  const program = programOf(assignment);
  const words =
    command.is === "exec"
      ? [program === undefined ? command.executable : `./${program}`, ...command.arguments]
      : command.is === "shell"
        ? ["/bin/sh", "-c", command.line]
        : ["true"];
  const fixed: [string, string][] = [
    ["PATH", minimalPath],
    ["LANG", "C.UTF-8"],
    ["SHELL", "/bin/sh"],
    ["GRIDLOOM_RUN", runName],
    ["GRIDLOOM_TASK", taskName],
    ["GRIDLOOM_ATTEMPT", attempt],
    ["GW_TASK_ID", String(taskIndex)],
    ...(cores === undefined ? [] : [["GRIDLOOM_CORES", String(cores)] as [string, string]]),
  ];
  const wanted = environment.filter(({ name }) => !/^(?:GRIDLOOM|GW)_/.test(name));
  const variables = [...fixed, ...wanted.map(({ name, value }) => [name, value] as const)];
  const place = 'HOME="$PWD" PWD="$PWD" TMPDIR="$1"';
  const given = variables.map(([name, value]) => quoted(`${name}=${value.replaceAll("\0", "")}`)).join(" ");
  const from = stdin === undefined ? "</dev/null" : `<./${quoted(stdin)}`;
  return [
    `ulimit -v ${Math.ceil(limits.memoryBytes / 1024)} 2>/dev/null`,
    `exec env -i ${place} ${given} ${words.map(quoted).join(" ")} ${from}`,
    "",
  ].join("\n");
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** For `printf %b`: nothing but letters, digits and a few signs stands for itself. */
export function encodeName(name: string): string {
  return [...new TextEncoder().encode(name)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._/-]/.test(character) ? character : `\\0${byte.toString(8).padStart(3, "0")}`;
    })
    .join("");
}

export function decodeName(text: string): string | undefined {
  const bytes: number[] = [];
  for (const piece of text.match(/\\0[0-7]{3}|[^\\]/g) ?? []) {
    bytes.push(piece.startsWith("\\") ? Number.parseInt(piece.slice(2), 8) & 255 : piece.charCodeAt(0) & 255);
  }
  const name = new TextDecoder().decode(new Uint8Array(bytes));
  return isTaskFileName(name) ? name : undefined;
}

/**
 * How it ended: `exit CODE`, `time-limit`, `cancelled`, `staging SENTENCE`, or `gone` and the transient files that are not there; then
 * `output SHA256 SIZE kept|stored NAME` for each, `missing NAME` for those that were not written, and `started`, `at` in seconds.
 */
export function parseEnd(text: string): { outcome: AgentOutcome; startedAt?: number; endedAt?: number } | undefined {
  const lines = text.split("\n").map((line) => line.split(" "));
  const first = (name: string) => lines.find(([word]) => word === name);
  const seconds = (name: string) => {
    const value = Number(first(name)?.[1] ?? Number.NaN) * 1000;
    return Number.isFinite(value) ? value : undefined;
  };
  const outcome = parseOutcome(lines);
  return outcome && { outcome, startedAt: seconds("started"), endedAt: seconds("at") };
}

function parseOutcome(lines: readonly string[][]): AgentOutcome | undefined {
  const [word, value, ...rest] = lines[0] ?? [];
  const names = (what: string) =>
    lines.flatMap(([is, name = ""]) => (is === what ? [decodeName(name)] : [])).filter((name) => name !== undefined);
  switch (word) {
    case "cancelled":
      return { is: "cancelled" };
    case "gone":
      return { is: "inputs-missing", files: names("missing") };
    case "time-limit":
      return { is: "failed", reason: "time-limit", detail: "The program ran longer than its time limit." };
    case "staging":
      return { is: "failed", reason: "staging", detail: [value, ...rest].join(" ").slice(0, 4000) };
    case "exit":
      return parseExit(Number(value), names("missing"), lines);
    default:
      return undefined;
  }
}

const signalNames: Readonly<Record<number, string>> = {
  2: "SIGINT",
  6: "SIGABRT",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  15: "SIGTERM",
  24: "SIGXCPU",
};

function parseExit(code: number, missing: string[], lines: readonly string[][]): AgentOutcome | undefined {
  if (!Number.isInteger(code) || code < 0 || code > 255) return undefined;
  if (code === 126 || code === 127) {
    const detail = "The executable is neither among the task's input files nor a program installed on this host.";
    return { is: "failed", reason: "executable-missing", exitCode: code, detail };
  }
  if (code > 128) return { is: "failed", reason: "signal", signal: signalNames[code - 128] ?? `SIG${code - 128}` };
  if (code !== 0) return { is: "failed", reason: "exit-code", exitCode: code };
  if (missing.length > 0) {
    const shown = missing.slice(0, 20).map((name) => `"${name}"`);
    const detail = `The program ended without writing: ${shown.join(", ")}.`;
    return { is: "failed", reason: "output-missing", exitCode: 0, detail };
  }
  const outputs = [];
  for (const [is, sha256 = "", size, where, encoded = ""] of lines) {
    if (is !== "output") continue;
    const name = decodeName(encoded);
    if (name === undefined || !/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    outputs.push({ name, sha256, size: Number(size) || 0, transient: where === "kept" });
  }
  return { is: "succeeded", outputs };
}
