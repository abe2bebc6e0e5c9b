/**
 * What is looked for in the directory, as it stands in the page's address: a search can be bookmarked, sent to somebody, and
 * gone back to.
 */
import { type TaskStateName, taskStateNames } from "@/core/engine/task-state";

export const kinds = ["task", "file", "host", "run"] as const;
export type Kind = (typeof kinds)[number];

export interface Question {
  by: Kind;
  /** Empty: any. */
  text: string;
  state?: TaskStateName;
  /** Everybody's runs, for admins. */
  all: boolean;
}

export function readQuestion(words: Record<string, string | string[] | undefined>): Question | undefined {
  const one = (name: string) => {
    const value = words[name];
    return (Array.isArray(value) ? value[0] : value) ?? "";
  };
  if (!("for" in words)) return undefined;
  const state = taskStateNames.find((name) => name === one("state"));
  return {
    by: kinds.find((kind) => kind === one("by")) ?? "task",
    text: one("for").trim(),
    ...(state && { state }),
    all: one("all") === "1",
  };
}

/** The question as the API takes it. A run may be given by its id or by part of its name. */
export function askedOf({ by, text, state }: Question) {
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
  const name = by === "run" ? (isId ? "run" : "runName") : by;
  return { ...(text !== "" && { [name]: text }), ...(state && { state }) };
}
