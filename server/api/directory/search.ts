/**
 * The monitoring directory (GR-11): which tasks there are, where, in what state, and what they wait for; found by name or
 * number, file, machine, state and run. There is no table of tasks: their states are packed bytes, and the
 * rest is in the run's application, so a search walks over runs, newest first, and over the tasks of each. One answer
 * looks at a bounded number of both and says where to go on.
 */
import type { RunId } from "@/core/engine/ids";
import { TaskState, type TaskStateName, taskStateNames } from "@/core/engine/task-state";
import { neighbours } from "@/core/engine/task-table";
import type { Workflow } from "@/core/workflow/workflow";
import { taskStatesSince } from "@/server/journal/queries/task-states-since";
import type { Backend } from "../backend";
import type { DirectoryEntry } from "../views";
import { hostsOfTasks, tasksOnHost } from "./hosts-of-tasks";
import { type RunToSearch, runsToSearch } from "./runs-to-search";

export interface DirectoryQuery {
  /** Part of a task's name, or its number. */
  task?: string;
  /** A file by its whole name: who makes it, who reads it. */
  file?: string;
  /** Part of a machine's name. */
  host?: string;
  state?: TaskStateName;
  run?: RunId;
  /** Part of the run's name. */
  runName?: string;
  /** Whose runs; absent: everybody's. */
  owners?: readonly string[];
  from?: Place;
  limit: number;
}

export interface Place {
  run: RunId;
  task: number;
}

export interface DirectoryAnswer {
  entries: (DirectoryEntry & { owner: string })[];
  /** Where the search goes on; null: everything was looked at. */
  next: Place | null;
  /** How many runs were looked at for this answer. */
  runs: number;
}

const mostRuns = 200;
const mostTasks = 200_000;
const shownPredecessors = 5;

export async function searchDirectory(
  { pool, workflows }: Pick<Backend, "pool" | "workflows">,
  query: DirectoryQuery,
): Promise<DirectoryAnswer> {
  const { owners, run, runName, from, host } = query;
  const chosen = await runsToSearch(pool, { owners, run, runName, from: from?.run, host, limit: mostRuns + 1 });
  const answer: DirectoryAnswer = { entries: [], next: null, runs: 0 };
  let budget = mostTasks;
  for (const found of chosen) {
    const first = found.id === from?.run ? from.task : 0;
    if (answer.runs === mostRuns || budget <= 0 || answer.entries.length === query.limit) {
      answer.next = { run: found.id, task: first };
      return answer;
    }
    answer.runs += 1;
    const workflow = await workflows.of(found.id, found.taskCount);
    if (!workflow) continue;
    const room = query.limit - answer.entries.length;
    const part = await searchRun({ pool }, found, workflow, query, { first, room, budget });
    answer.entries.push(...part.entries);
    budget -= part.examined;
    if (part.next !== null) {
      answer.next = { run: found.id, task: part.next };
      return answer;
    }
  }
  return answer;
}

interface Bounds {
  first: number;
  /** The most entries, and the most tasks looked at. */
  room: number;
  budget: number;
}

interface Part {
  entries: DirectoryAnswer["entries"];
  next: number | null;
  examined: number;
}

async function searchRun(
  { pool }: Pick<Backend, "pool">,
  run: RunToSearch,
  workflow: Workflow,
  query: DirectoryQuery,
  { first, room, budget }: Bounds,
): Promise<Part> {
  let states = query.state === undefined ? undefined : await statesOf({ pool }, run.id);
  const wanted = query.task?.toLowerCase();
  const onHost = query.host === undefined ? undefined : await onHostFrom({ pool }, run.id, query.host, first, budget);
  const hits: number[] = [];
  let examined = 0;
  let next: number | null = null;
  for (const task of candidates(workflow, query, onHost, first)) {
    if (examined === budget || hits.length === room || (onHost?.more && task > onHost.last)) {
      next = task;
      break;
    }
    examined += 1;
    if (states && taskStateNames[states[task] ?? 0] !== query.state) continue;
    if (onHost && !onHost.tasks.has(task)) continue;
    if (query.file !== undefined && !uses(workflow, task, query.file)) continue;
    if (wanted !== undefined && !answersTo(workflow, task, wanted)) continue;
    hits.push(task);
  }
  if (hits.length === 0) return { entries: [], next, examined };
  states ??= await statesOf({ pool }, run.id);
  const hosts = await hostsOfTasks(pool, run.id, hits);
  const entries = hits.map((task) => entryOf(run, workflow, query, task, states?.[task], hosts.get(task) ?? null));
  return { entries, next, examined };
}

/** In order, from `first` on: those that may be wanted. */
function* candidates(
  workflow: Workflow,
  { file }: DirectoryQuery,
  onHost: OnHost | undefined,
  first: number,
): Generator<number, void, undefined> {
  const producer = file === undefined ? -1 : workflow.producerOf(file);
  if (producer >= 0) {
    const around = [producer, ...neighbours(workflow.successors, producer)].sort((a, b) => a - b);
    for (const task of around) if (task >= first) yield task;
    return;
  }
  // A file nobody makes is one the submitter brought, or none of this run's.
  const provided = file === undefined ? undefined : workflow.externalInputs.find((input) => input.name === file);
  if (file !== undefined && !provided) return;
  if (onHost) yield* onHost.tasks;
  else for (let task = Math.max(first, provided?.neededBy ?? 0); task < workflow.taskCount; task++) yield task;
}

function uses(workflow: Workflow, task: number, file: string): boolean {
  return workflow.producerOf(file) === task || workflow.task(task).inputs.includes(file);
}

interface OnHost {
  tasks: ReadonlySet<number>;
  /** There are more than these, after the last of them. */
  more: boolean;
  last: number;
}

async function onHostFrom(
  { pool }: Pick<Backend, "pool">,
  run: RunId,
  host: string,
  from: number,
  budget: number,
): Promise<OnHost> {
  const limit = budget + 1;
  const tasks = await tasksOnHost(pool, run, host, { from, limit });
  return { tasks: new Set(tasks), more: tasks.length === limit, last: tasks.at(-1) ?? -1 };
}

function answersTo(workflow: Workflow, task: number, wanted: string): boolean {
  return String(task) === wanted || workflow.name(task).toLowerCase().includes(wanted);
}

async function statesOf({ pool }: Pick<Backend, "pool">, run: RunId): Promise<Uint8Array> {
  const found = await taskStatesSince(pool, run, -1);
  return Buffer.concat((found?.chunks ?? []).map((chunk) => chunk.states));
}

function entryOf(
  run: RunToSearch,
  workflow: Workflow,
  { file }: DirectoryQuery,
  task: number,
  state: number | undefined,
  host: string | null,
): DirectoryAnswer["entries"][number] {
  const predecessors = neighbours(workflow.predecessors, task);
  return {
    run: { id: run.id, name: run.name },
    owner: run.owner,
    task,
    name: workflow.name(task),
    state: taskStateNames[state ?? TaskState.waiting] ?? "waiting",
    host,
    use: file === undefined ? null : workflow.producerOf(file) === task ? "makes" : "reads",
    predecessors: Array.from(predecessors.subarray(0, shownPredecessors), (index) => ({
      task: index,
      name: workflow.name(index),
    })),
    predecessorCount: predecessors.length,
  };
}
