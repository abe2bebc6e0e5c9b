/** The runner for a cluster whose front end is the portal's own machine. */
import { ClusterProblem } from "./cluster-problem";
import {
  type CommandOptions,
  type CommandRecorder,
  type CommandResult,
  type CommandRunner,
  mostOutputBytes,
  shorten,
} from "./command-runner";
import { type ProcessEnd, runProcess } from "./run-process";

const place = "this machine";

export function hereRunner(recorders: readonly CommandRecorder[] = []): CommandRunner {
  return {
    place,
    run: (command, options) => runHere(command, options, recorders),
    recording: (recorder) => hereRunner([...recorders, recorder]),
  };
}

async function runHere(
  command: readonly string[],
  options: CommandOptions,
  recorders: readonly CommandRecorder[],
): Promise<CommandResult> {
  const at = Date.now();
  const end = await runProcess(command, options);
  record(recorders, command, options.purpose, at, end);
  if (end.stopped) throw stoppedProblem(end.stopped, command, place);
  const { exitCode, stdout, stderr, durationMs } = end;
  return { exitCode, stdout, stderr, durationMs };
}

export function record(
  recorders: readonly CommandRecorder[],
  command: readonly string[],
  purpose: string,
  at: number,
  end: ProcessEnd,
): void {
  if (recorders.length === 0) return;
  const stderr = end.stopped ? `${end.stderr}\n[${end.stopped.detail}]`.trimStart() : end.stderr;
  const ran = {
    command: command.map((word) => shorten(word)),
    exitCode: end.exitCode,
    stdout: shorten(end.stdout),
    stderr: shorten(stderr),
    at,
    durationMs: end.durationMs,
    purpose,
  };
  for (const recorder of recorders) recorder(ran);
}

export function stoppedProblem(
  stopped: NonNullable<ProcessEnd["stopped"]>,
  command: readonly string[],
  where: string,
): ClusterProblem {
  const program = command[0] ?? "";
  switch (stopped.why) {
    case "timed-out":
      return new ClusterProblem("timed-out", `${program} on ${where} was stopped: ${stopped.detail}.`);
    case "too-much-output":
      return new ClusterProblem(
        "unreadable",
        `${program} on ${where} gave more than ${mostOutputBytes} bytes of output and was stopped.`,
      );
    case "not-started":
      return new ClusterProblem("no-scheduler", `${program} could not be started on ${where}: ${stopped.detail}.`);
  }
}
