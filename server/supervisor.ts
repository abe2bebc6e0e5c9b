/**
 * Keeps the portal's parts running and ends them in order: first who asks (web) and who only waits (the engine's
 * standby, which would otherwise take over from the one that is being stopped), then who asks for more of them
 * (clusters) and who works (agent), then who
 * decides and carries (engine, gateway), so that each can still tell the next what it has to tell. All of it ends
 * within a fixed time; what is not gone by its share of it is killed.
 */
import { join } from "node:path";
import { PartLog } from "./part-log";
import { type BackOff, defaultBackOff, type PartSpec, SupervisedPart } from "./supervised-part";

/** The order of stopping, with the time by which each must be gone, counted from the beginning of the stop. */
const stopOrder = [
  ["web", 1000],
  ["standby", 1200],
  ["clusters", 1900],
  ["agent", 2300],
  ["engine", 3200],
  ["gateway", 3700],
] as const;
export type PartName = (typeof stopOrder)[number][0];

export class Supervisor {
  private readonly parts = new Map<string, SupervisedPart>();
  private stopping = false;

  constructor(
    private readonly logDirectory: string,
    private readonly log: (line: string) => void,
    private readonly backOff: BackOff = defaultBackOff,
  ) {}

  /** Resolves when the part is ready for the first time. */
  start(spec: PartSpec & { name: PartName }): Promise<void> {
    const output = new PartLog(join(this.logDirectory, `${spec.name}.log`));
    const part = new SupervisedPart(spec, output, (line) => this.say(line), this.backOff);
    this.parts.set(spec.name, part);
    return part.start();
  }

  restart(name: string): void {
    this.parts.get(name)?.restart();
  }

  tell(name: PartName, message: object): void {
    this.parts.get(name)?.tell(message);
  }

  pids(): Record<string, number | undefined> {
    return Object.fromEntries([...this.parts].map(([name, part]) => [name, part.pid]));
  }

  /** Parts that miss those already stopped would only confuse; their log files have it all the same. */
  private say(line: string): void {
    if (!this.stopping) this.log(line);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const begin = performance.now();
    for (const [name, byMs] of stopOrder) {
      const part = this.parts.get(name);
      if (part) await part.stop(Math.max(100, byMs - (performance.now() - begin)));
    }
  }
}
