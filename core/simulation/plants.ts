/**
 * Bugs planted on purpose, each one a mistake somebody could make. They show that the checks can find what they are
 * for; the real code knows nothing of them.
 */
import type { Lane } from "@/core/engine/lanes";
import type { RecoveredRun } from "@/core/engine/plan";
import type { ToAgent } from "@/core/engine/ports";
import { type Agent, Core, type Flight } from "@/core/engine/state";
import { DurablePorts } from "./durable-ports";
import { JournalModel } from "./journal-model";

export const plants = [
  "ack-before-commit",
  "skip-epoch",
  "double-slot",
  "lost-wakeup",
  "forget-replica",
  "forget-move",
] as const;
export type Plant = (typeof plants)[number];

export function isPlant(name: string): name is Plant {
  return plants.some((plant) => plant === name);
}

/** Acknowledges results as soon as they are heard of. */
class HastyPorts extends DurablePorts {
  protected override send(agent: string, message: ToAgent): void {
    if (message.is === "acknowledge") this.around.release(agent, message);
    else super.send(agent, message);
  }
}

/** Writes for whoever asks, lease or not. */
class UnfencedJournal extends JournalModel {
  protected override mayWrite(): boolean {
    return true;
  }
}

/** Counts only the attempts it handed out itself, and forgets those of the engine before it. */
class ForgetfulCore extends Core {
  override freeSlots(agent: Agent): number {
    if (agent.mode.is !== "joined") return 0;
    let own = 0;
    for (const { epoch, lane } of agent.open) if (epoch === this.settings.epoch) own += lane.asks.cores;
    return this.capacity(agent) - own;
  }
}

/** Lets a lane join the line only if somebody could serve it now, as if a free slot would look for lanes by itself. */
class SleepyCore extends Core {
  override wake(lane: Lane): void {
    if (this.free.size > 0) super.wake(lane);
  }
}

/** Takes the first good result and does not think of the other attempts at the task. */
class SingleMindedCore extends Core {
  override othersOf(): readonly Flight[] {
    return [];
  }
}

/** Does not read which attempts were told to move. */
class AbsentMindedJournal extends JournalModel {
  override recovered(id: string): RecoveredRun {
    const recovered = super.recovered(id);
    return { ...recovered, open: [...recovered.open].map(({ moving: _, ...attempt }) => attempt) };
  }
}

export interface Parts {
  model: JournalModel;
  makePorts(...parameters: ConstructorParameters<typeof DurablePorts>): DurablePorts;
  makeCore(...parameters: ConstructorParameters<typeof Core>): Core;
  /** The gateway takes messages of engines that were replaced. */
  listenToAnyEpoch: boolean;
}

function journalWith(plant: Plant | undefined): JournalModel {
  if (plant === "skip-epoch") return new UnfencedJournal();
  return plant === "forget-move" ? new AbsentMindedJournal() : new JournalModel();
}

export function partsWith(plant: Plant | undefined): Parts {
  return {
    model: journalWith(plant),
    makePorts: (...parameters) =>
      plant === "ack-before-commit" ? new HastyPorts(...parameters) : new DurablePorts(...parameters),
    makeCore: (...parameters) => {
      if (plant === "double-slot") return new ForgetfulCore(...parameters);
      if (plant === "forget-replica") return new SingleMindedCore(...parameters);
      return plant === "lost-wakeup" ? new SleepyCore(...parameters) : new Core(...parameters);
    },
    listenToAnyEpoch: plant === "skip-epoch",
  };
}
