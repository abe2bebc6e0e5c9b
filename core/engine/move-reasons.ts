/** Moves of tasks in words: why one left its host, what it waits for, what became of it. Used by reasons.ts alone. */
import { type MoveReason, moveReasons } from "./outcome";
import type { EventCode } from "./ports";

type Arguments = Readonly<Record<string, string | number>>;

const because: Readonly<Record<MoveReason, string>> = {
  asked: "somebody asked for it",
  "better-host": "a better host was free",
  performance: "it was slower there than agreed",
  requirements: "it needs something else of a host now",
  suspended: "its job was queued or suspended for too long",
  "wall-time": "its time there was up",
  selected: "its own resource selector chose another host",
};

export function isMoveReason(reason: string): reason is MoveReason {
  return moveReasons.some((known) => known === reason);
}

export function describeMove(reason: MoveReason): string {
  return `The task moved to another host because ${because[reason]}.`;
}

export type MoveEvent =
  | Extract<EventCode, `migration-${string}` | `task-${"held" | "resumed"}`>
  | "requirement-changed"
  | "checkpoint-dropped";

export function describeMoveEvent(code: MoveEvent, args: Arguments): string {
  const text = (name: string) => String(args[name] ?? "");
  const reason = text("reason");
  const why = isMoveReason(reason) ? `${because[reason]}${seen(args)}` : "it has to";
  const from = text("host") ? ` ${text("host")}` : " its host";
  switch (code) {
    case "migration-wanted":
      return `The task should leave${from} because ${why}; it goes on there until another host that it may use has room.`;
    case "migration-begun":
      return `The task leaves${from}${text("to") ? ` for ${text("to")}` : ""} because ${why}.`;
    case "migration-needless":
      return "The task was asked to move, but it was not running on one host.";
    case "requirement-changed": {
      const parts = [
        text("requirement") && `it needs ${text("requirement")}`,
        text("rank") && `it prefers hosts by ${text("rank")}`,
        text("requirementProblem") && `its new requirement cannot be read: ${text("requirementProblem")}`,
        text("rankProblem") && `its new rank cannot be read: ${text("rankProblem")}`,
      ];
      return `The running task changed what it asks of hosts: ${parts.filter(Boolean).join("; ")}.`;
    }
    case "checkpoint-dropped":
      return "The task failed with its restart files without getting any further; it starts from its beginning.";
    case "task-held":
      return `The task failed ${text("attempts")} times. It is not given up, but waits until somebody lets it go on.`;
    case "task-resumed":
      return "Somebody let the task go on.";
  }
}

/** What made it so, in figures. */
function seen(args: Arguments): string {
  const text = (name: string) => String(args[name] ?? "");
  if (args.limit !== undefined)
    return ` (an iteration took ${text("seconds")} s, at most ${text("limit")} s are agreed)`;
  if (args.evaluator !== undefined) return text("evaluator") ? ` (its evaluator says: ${text("evaluator")})` : "";
  if (args.better !== undefined)
    return ` (rank ${text("better")} instead of ${text("rank")}, saves about ${text("saves")} s)`;
  if (args.state !== undefined) return ` (${text("state")}, ${text("seconds")} s in all)`;
  return "";
}
