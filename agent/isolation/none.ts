/**
 * Where neither accounts nor namespaces are to be had: the task runs as the agent's own account, in its own session, and is
 * ended as well as that allows. The portal lets only admins use such a cluster.
 */
import { join } from "node:path";
import type { Slot } from "../config";
import type { Process } from "../processes";
import type { Places } from "../task-environment";
import type { Isolation, TaskProcesses } from "./isolation";
import { clearMarked, descendantsOfShim, strikeMarked } from "./marked-processes";

export class NoIsolation implements Isolation {
  readonly furniture = [".tmp"];
  /** The account is the user's own: whatever else they run would count against the task, and the task against them. */
  readonly mostProcesses = undefined;

  async check(): Promise<undefined> {
    return undefined;
  }

  owner(): undefined {
    return undefined;
  }

  account(): undefined {
    return undefined;
  }

  places(_slot: Slot, directory: string): Places {
    return { directory, temporary: join(directory, ".tmp"), user: "gridloom" };
  }

  words(): string[] {
    return ["setsid"];
  }

  members(_slot: Slot, task: TaskProcesses, all: readonly Process[]): Process[] {
    return descendantsOfShim(task, all);
  }

  /** Whose a file is in /tmp the account does not tell. */
  async elsewhere(): Promise<string[]> {
    return [];
  }

  async strike(_slot: Slot, task: TaskProcesses): Promise<void> {
    await strikeMarked(task);
  }

  async clear(_slot: Slot, task: TaskProcesses | undefined): Promise<void> {
    if (task) await clearMarked(task);
  }
}
