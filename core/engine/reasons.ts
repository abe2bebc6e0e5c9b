/**
 * The engine writes down codes with arguments; here they become sentences. Nothing else in the project words an
 * outcome, an event or the reason of a wait, so the pages, the command line and the logs say the same.
 */
import { describeMove, describeMoveEvent, isMoveReason } from "./move-reasons";
import type { FailureReason, LossReason, Outcome } from "./outcome";
import type { EventCode, Placement } from "./ports";
import { type WaitingReason, waitingArguments } from "./waiting";

type Arguments = Readonly<Record<string, string | number>>;

export function describeOutcome(outcome: Outcome): string {
  switch (outcome.is) {
    case "succeeded":
      return outcome.exitCode === undefined
        ? "The task succeeded."
        : `The task succeeded: its exit code ${outcome.exitCode} is an answer that decides which tasks come next.`;
    case "failed":
      return describeFailure(outcome.reason, outcome);
    case "lost":
      return describeLoss(outcome.reason);
    case "inputs-missing":
      return `${filesMissing(outcome.files.length, outcome.files[0] ?? "")}; the tasks that make them run again.`;
    case "cancelled":
      if (outcome.reason?.startsWith("moved-")) return describeMoved(outcome.reason);
      return outcome.reason === "superseded"
        ? "The attempt was stopped because another one at the same task was first."
        : "The task was stopped because its run was killed.";
  }
}

function describeMoved(reason: string): string {
  const why = reason.slice("moved-".length);
  return isMoveReason(why) ? describeMove(why) : "The task moved to another host.";
}

/** Why there is this attempt. */
export function describePlacement(because: Placement): string {
  switch (because) {
    case "first":
      return "The first attempt at the task.";
    case "again":
      return "Placed again, because the attempt before it did not bring a result.";
    case "replica":
      return "A replica beside another attempt: the first good result counts.";
    case "deadline":
      return "Placed again, because an attempt before it passed its deadline.";
    case "moved":
      return "Goes on where the attempt before it left another host.";
  }
}

interface FailureFacts {
  exitCode?: number | undefined;
  signal?: string | undefined;
  detail?: string | undefined;
}

function describeFailure(reason: FailureReason, { exitCode, signal, detail }: FailureFacts): string {
  const more = detail ? `: ${detail.replace(/\.$/, "")}.` : ".";
  switch (reason) {
    case "exit-code":
      return `The program ended with exit code ${exitCode ?? "other than 0"}${more}`;
    case "signal":
      return `The program was ended by signal ${signal ?? "of an unknown kind"}${more}`;
    case "output-missing":
      return `The program ended well but did not write all of its output files${more}`;
    case "executable-missing":
      return `The program could not be started${more}`;
    case "time-limit":
      return `The program ran longer than its time limit and was stopped${more}`;
    case "memory-limit":
      return `The program used more memory than its limit and was stopped${more}`;
    case "output-limit":
      return `The program wrote more than its output limit and was stopped${more}`;
    case "staging":
      return `The task's files could not be brought to or from the host${more}`;
    case "spawn-refused":
      return `The tasks it handed in cannot be added to the run${more}`;
    case "agent-error":
      return `The agent could not run the task${more}`;
  }
}

function describeLoss(reason: LossReason): string {
  switch (reason) {
    case "agent-silent":
      return "The agent that ran the task was not heard of any more.";
    case "agent-restarted":
      return "The agent that ran the task was restarted and could not find it again.";
    case "agent-stopped":
      return "The agent that ran the task was stopped.";
    case "shim-vanished":
      return "The task's processes vanished without leaving an exit code.";
    case "deadline-passed":
      return "The attempt passed its deadline.";
    case "taken-back":
      return "It waited on the host behind a task that took long, and was taken back.";
    case "job-ended":
      return "The cluster's job that carried the agent ended.";
    case "job-cancelled":
      return "The cluster's job that carried the agent was cancelled on the cluster.";
    case "job-timed-out":
      return "The cluster's job that carried the agent reached its time limit.";
    case "job-suspended":
      return "The cluster kept the job that carried the agent suspended for too long.";
    case "node-lost":
      return "The cluster lost the host the agent ran on.";
  }
}

const failureReasons: Readonly<Record<FailureReason, true>> = {
  "exit-code": true,
  signal: true,
  "output-missing": true,
  "executable-missing": true,
  "time-limit": true,
  "memory-limit": true,
  "output-limit": true,
  staging: true,
  "spawn-refused": true,
  "agent-error": true,
};
const lossReasons: Readonly<Record<LossReason, true>> = {
  "agent-silent": true,
  "agent-restarted": true,
  "agent-stopped": true,
  "shim-vanished": true,
  "deadline-passed": true,
  "taken-back": true,
  "job-ended": true,
  "job-cancelled": true,
  "job-timed-out": true,
  "job-suspended": true,
  "node-lost": true,
};

export function isFailureReason(reason: string): reason is FailureReason {
  return Object.hasOwn(failureReasons, reason);
}

export function isCancelReason(reason: string): reason is NonNullable<Extract<Outcome, { is: "cancelled" }>["reason"]> {
  return reason === "superseded" || (reason.startsWith("moved-") && isMoveReason(reason.slice("moved-".length)));
}

export function isLossReason(reason: string): reason is LossReason {
  return Object.hasOwn(lossReasons, reason);
}

export function describeEvent(code: EventCode, args: Arguments): string {
  const text = (name: string) => String(args[name] ?? "");
  const number = (name: string) => Number(args[name] ?? 0);
  switch (code) {
    case "run-submitted":
      return "The run was submitted.";
    case "run-started":
      return `The run started with ${count(number("tasks"), "task")}${number("done") > 0 ? `, ${number("done")} of them done before` : ""}.`;
    case "run-ended":
      return args.problem === undefined
        ? describeEnd(text("state"), number)
        : `The run cannot go on, because what is stored of it cannot be read: ${text("problem")}.`;
    case "run-killed":
      return number("running") > 0
        ? `The run is being killed; ${count(number("running"), "running task")} to stop.`
        : "The run was killed.";
    case "run-retried":
      return `${count(number("tasks"), "task")} that had not succeeded will run again.`;
    case "attempt-failed":
      return `Attempt ${number("ordinal")}${onHost(text("host"))}: ${failureSentence(args)}`;
    case "attempt-lost":
      return `Attempt ${number("ordinal")}${onHost(text("host"))}: ${lossSentence(text("reason"))}`;
    case "attempt-retried":
      return `The task will be tried again: ${number("failures")} of ${count(number("retries"), "retry", "retries")} used.`;
    case "task-failed":
      return describeTaskFailure(text("reason"), number("attempts"));
    case "inputs-missing":
      return number("producers") > 0
        ? `${filesMissing(number("files"), text("file"))}; ${count(number("producers"), "task")} will run again to make them.`
        : `${filesMissing(number("files"), text("file"))}, and no task of the run makes them.`;
    case "agent-joined":
      return `An agent joined${onHost(text("host"))}.`;
    case "agent-lost":
      return `The agent${onHost(text("host"))} was not heard of for ${Math.round(number("silentMs") / 1000)} s; ${count(number("attempts"), "task")} of this run will be placed again.`;
    case "waiting-for-cluster":
      return `${count(number("ready"), "task")} could run: ${unservedSentence(args)}`;
    case "replica-wanted":
      return `Another attempt starts${onHost(text("host"))} beside ${text("beside")}: the replication policy allows it, and the first good result counts.`;
    case "deadline-passed":
      return `Attempt ${number("ordinal")}${onHost(text("host"))} passed its deadline after ${count(number("seconds"), "second")}; the task will be placed again.`;
    case "memory-raised":
      return `The task used more memory than it may; it will be tried again with ${count(number("megabytes"), "MB", "MB")}.`;
    case "failed-over":
      return `The task failed ${count(number("failures"), "time")}, last${onHost(text("host"))}; it goes to the fail-over cluster.`;
    case "host-avoided":
      return `The host ${text("host")} fails where others succeed; it gets no work for ${count(number("seconds"), "second")}.`;
    case "policies-changed":
      return `The policies of the run were changed: ${text("policies") || "none"}.`;
    case "task-reused":
      return `The task did not have to run: ${count(number("files"), "file")} of an earlier run ${number("files") === 1 ? "is" : "are"} used, because nothing it depends on has changed.`;
    case "tasks-spawned":
      return number("tasks") > 0
        ? `The task handed in ${count(number("tasks"), "further task")}, which ${number("tasks") === 1 ? "is" : "are"} part of the run now.`
        : "The task handed in no further tasks.";
    case "task-not-reused":
      return `The task runs again: ${text("changed")}.`;
    case "agent-not-started":
      return `No agent could be started on ${text("cluster")} for attempt ${number("ordinal")}: ${text("problem")}`;
    case "migration-wanted":
    case "migration-begun":
    case "migration-needless":
    case "requirement-changed":
    case "checkpoint-dropped":
    case "task-held":
    case "task-resumed":
      return describeMoveEvent(code, args);
    case "tail-begun":
      return `The tail has begun: ${count(number("unsent"), "task")} not yet sent.`;
  }
}

function failureSentence(args: Arguments): string {
  const reason = String(args.reason);
  if (!isFailureReason(reason)) return "The attempt failed.";
  return describeFailure(reason, {
    exitCode: typeof args.exitCode === "number" ? args.exitCode : undefined,
    signal: typeof args.signal === "string" ? args.signal : undefined,
    detail: typeof args.detail === "string" ? args.detail : undefined,
  });
}

function lossSentence(reason: string): string {
  return isLossReason(reason) ? describeLoss(reason) : "It was stopped on its host, not by us.";
}

function describeEnd(state: string, number: (name: string) => number): string {
  const finished = count(number("finished"), "task");
  if (state === "succeeded") {
    const others = number("skipped") > 0 ? `, ${number("skipped")} skipped because another branch was taken` : "";
    return `The run succeeded: ${finished} finished${others}.`;
  }
  const rest = [
    [number("failed"), "failed"],
    [number("waiting"), "never became ready"],
    [number("cancelled"), "cancelled"],
    [number("skipped"), "skipped"],
  ] as const;
  const parts = rest.filter(([howMany]) => howMany > 0).map(([howMany, what]) => `${howMany} ${what}`);
  return `The run ${state === "killed" ? "was killed" : "failed"}: ${[`${finished} finished`, ...parts].join(", ")}.`;
}

function describeTaskFailure(reason: string, attempts: number): string {
  switch (reason) {
    case "executable-missing":
      return "The task failed: its program could not be started, so it is not tried again.";
    case "exit-code-final":
      return "The task failed: its exit code is one after which it is not to be tried again.";
    case "inputs-gone":
      return "The task failed: an input file is gone, and no task of the run makes it.";
    case "lost-too-often":
      return `The task failed: it was lost again and again, ${count(attempts, "attempt")} in all.`;
    default:
      return `The task failed after ${count(attempts, "attempt")}.`;
  }
}

/** `nameOf` gives a task's name by its number. */
export function describeWaiting(reason: WaitingReason, nameOf: (task: number) => string): string {
  switch (reason.is) {
    case "not-waiting":
      return "The task is not waiting.";
    case "predecessors": {
      const failed = reason.failed.map(nameOf).join(", ");
      if (failed) return `It cannot run, because a task it needs has failed: ${failed}.`;
      const names = reason.unfinished.map(nameOf).join(", ");
      const others = reason.count - reason.unfinished.length;
      return `It waits for ${names}${others > 0 ? ` and ${others} more` : ""}.`;
    }
    case "skipped": {
      const reasons = reason.because.map(({ task, answer }) =>
        answer < 0 ? `${nameOf(task)} was skipped` : `${nameOf(task)} ended with exit code ${answer}`,
      );
      return `It was skipped, because another branch was taken${reasons.length > 0 ? `: ${reasons.join(", ")}` : ""}.`;
    }
    case "checking":
      return "It could run: an earlier result is being looked for.";
    case "held":
      return "It failed too often and waits until somebody lets it go on.";
    case "last":
      return "It runs last, when nothing else of the run can.";
    case "no-match": {
      const [worst] = reason.failing;
      const clauses = reason.failing.map(({ clause, hosts }) => `${clause} on ${hosts} of ${reason.hosts}`);
      return worst ? `It could run: no host matches. ${clauses.join("; ")}.` : "It could run: no host matches.";
    }
    case "category":
      return `It could run: ${count(reason.limit, "task")} of the category ${reason.category} may run at a time.`;
    case "avoided":
      return `It could run: ${reason.hosts === 1 ? "the only host that matches fails" : `all ${reason.hosts} hosts that match fail`} where others succeed, and get no work for a while.`;
    case "queued-at":
      return `It waits in the queue of ${reason.cluster}, where an agent was asked for it.`;
    case "reserved":
      return `It is next${onHost(reason.host)}, as soon as enough of it is free.`;
    case "busy":
      return `It could run: ${reason.slots === 1 ? "the only slot is" : `all ${reason.slots} slots are`} busy${reason.ahead > 0 ? `, ${count(reason.ahead, "other task")} of this run ${reason.ahead === 1 ? "waits" : "wait"} too` : ""}${reason.others > 0 ? `, and ${count(reason.others, "other person has", "other people have")} used less and ${reason.others === 1 ? "goes" : "go"} first` : ""}.`;
    default:
      return `It could run: ${unservedSentence(waitingArguments(reason))}`;
  }
}

function unservedSentence(args: Arguments): string {
  const text = (name: string) => String(args[name] ?? "");
  switch (text("reason")) {
    case "no-cluster-allowed": {
      const parts = [
        text("disabled") && `switched off: ${text("disabled")}`,
        text("adminsOnly") && `for admins only: ${text("adminsOnly")}`,
      ];
      return `no cluster may be used (${parts.filter(Boolean).join("; ")}).`;
    }
    case "no-match":
      return `none of ${count(Number(args.hosts ?? 0), "host")} matches${text("clause") ? `: ${text("clause")}` : ""}.`;
    case "too-big": {
      const memory = Number(args.memory ?? 0) > 0 ? `${count(Number(args.memory), "MB", "MB")} of memory` : "";
      const asked = [count(Number(args.cores ?? 1), "core"), memory, text("named")].filter(Boolean).join(", ");
      return `no host has what it asks for (${asked}).`;
    }
    case "clusters-paused":
      return `no agent can be started. ${text("problems")}`;
    case "unreadable":
      return `an expression cannot be read: ${text("text")}: ${text("problem")}`;
    default:
      return "no agent is connected.";
  }
}

function filesMissing(files: number, first: string): string {
  return files === 1 ? `The input file ${first} is gone` : `${files} input files are gone (${first} is one)`;
}

function onHost(host: string): string {
  return host ? ` on ${host}` : "";
}

function count(howMany: number, one: string, many = `${one}s`): string {
  return `${howMany.toLocaleString("en-US")} ${howMany === 1 ? one : many}`;
}
