/**
 * What lets a task move while it runs (GW-2, GW-4): the files it can go on from, the files in which it says while it runs
 * what it needs and how it fares, what performance was agreed, and programs of the user's own in the place of ours.
 */
import type { Template } from "./application";

export interface Adaptive<Text> {
  /** Files from which the program goes on after it was stopped. Those that do not exist yet are not missed. */
  restart?: Text[];
  /** Written by the program last: the restart files are complete while it is not older than any of them. */
  marker?: Text;
  /** How often the restart files are brought to safety while the task runs. */
  checkpointSeconds?: number;
  /** Dynamic files: the running task writes into them what it needs of a host from now on, and which hosts it prefers. */
  requirementFile?: Text;
  rankFile?: Text;
  /** The running task appends the seconds of each iteration, one a line. */
  profile?: Text;
  contract?: Contract;
  /** A command line run beside the task in its directory: exit code 1 says that its performance is not what it should be. */
  evaluator?: Text;
  /** Seconds in the queue and suspended, together, after which it is placed elsewhere. */
  suspensionSeconds?: number;
  migrate?: MigrationWish;
  /** A command line that prints candidate hosts, one a line. */
  selector?: Text;
  /** A command line put before the task's own. */
  wrapper?: Text;
  /** What happens to it when its retries are used up: it fails, or it waits for a person (GW-11). */
  trouble?: TroubleWish;
}

export type AdaptiveTemplate = Adaptive<Template>;
export type AdaptiveSpec = Adaptive<string>;

/** An iteration must take no longer than this, or than so many times the best one so far. */
export interface Contract {
  seconds?: number;
  factor?: number;
}

export const migrationWishes = ["never", "forced", "better"] as const;
/**
 * `never`: only if its host is lost or somebody asks. `forced` (also if nothing is said): in addition when its performance
 * or its requirements demand it. `better`: in addition when a host that is enough better is free.
 */
export type MigrationWish = (typeof migrationWishes)[number];

export const troubleWishes = ["fail", "wait"] as const;
export type TroubleWish = (typeof troubleWishes)[number];

export const defaultCheckpointSeconds = 30;

/** With every text filled in; `files` gives the names of one word's files. */
export function fillAdaptive(
  template: AdaptiveTemplate,
  filled: (text: Template) => string,
  files: (text: Template) => string[],
): AdaptiveSpec {
  const { restart, marker, requirementFile, rankFile, profile, evaluator, selector, wrapper, ...plain } = template;
  const spec: AdaptiveSpec = { ...plain };
  if (restart) spec.restart = [...new Set(restart.flatMap(files))];
  for (const [name, text] of Object.entries({ marker, requirementFile, rankFile, profile }) as [
    FileField,
    Template?,
  ][]) {
    const file = text && files(text)[0];
    if (file !== undefined) spec[name] = file;
  }
  if (evaluator) spec.evaluator = filled(evaluator);
  if (selector) spec.selector = filled(selector);
  if (wrapper) spec.wrapper = filled(wrapper);
  return spec;
}

type FileField = "marker" | "requirementFile" | "rankFile" | "profile";

/** Every text of it changed in the same way. */
export function mapAdaptive(template: AdaptiveTemplate, change: (text: Template) => Template): AdaptiveTemplate {
  const changed: AdaptiveTemplate = { ...template };
  if (template.restart) changed.restart = template.restart.map(change);
  for (const name of textFields) {
    const text = template[name];
    if (text) changed[name] = change(text);
  }
  return changed;
}

const textFields = ["marker", "requirementFile", "rankFile", "profile", "evaluator", "selector", "wrapper"] as const;

/** `40`, `1.5x` or both, separated by a blank: seconds, and a factor of the best. */
export function readContract(text: string): Contract | undefined {
  const contract: Contract = {};
  for (const word of text.trim().split(/\s+/)) {
    const match = /^(\d{1,9}(?:\.\d{1,9})?)(x|s)?$/.exec(word);
    const value = Number(match?.[1]);
    if (!match || !(value > 0)) return undefined;
    if (match[2] === "x") contract.factor = value;
    else contract.seconds = value;
  }
  return contract;
}

export function writeContract({ seconds, factor }: Contract): string {
  return [seconds === undefined ? [] : String(seconds), factor === undefined ? [] : `${factor}x`].flat().join(" ");
}
