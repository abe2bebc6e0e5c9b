/**
 * The way between agents and the gateway. Requests may be lost, late, out of order and repeated; the answer to a request
 * may be lost or late. While the gateway is down nothing arrives. When faults are over it is merely slow.
 */
import type { GatewayProcess } from "./gateway-process";
import type { SeededRandom } from "./random";
import type { Timeline } from "./timeline";
import type { AgentReply, AgentReport, Wire, Worker } from "./worker";

export class Network implements Wire {
  gateway: GatewayProcess | undefined;
  /** Agents that are cut off. */
  readonly cutOff = new Set<Worker>();
  loss = 0;
  repetition = 0;
  slowness = 0;

  constructor(
    private readonly timeline: Timeline,
    private readonly random: SeededRandom,
  ) {}

  introduce(worker: Worker, answered: () => void): void {
    const { id, introduction } = worker;
    this.carry(worker, () => {
      if (!this.gateway?.alive) return;
      this.gateway.introduce(id, introduction);
      this.answer(worker, answered);
    });
  }

  exchange(worker: Worker, report: AgentReport, answered: (reply: AgentReply | "who-are-you") => void): void {
    const { id } = worker;
    this.carry(worker, () => {
      if (!this.gateway?.alive) return;
      const reply = this.gateway.exchange(id, report);
      this.answer(worker, () => answered(reply));
    });
  }

  private carry(worker: Worker, arrive: () => void): void {
    const copies = this.random.chance(this.repetition) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      if (this.cutOff.has(worker) || this.random.chance(this.loss)) continue;
      this.timeline.after(this.delay(), arrive);
    }
  }

  private answer(worker: Worker, answered: () => void): void {
    if (this.cutOff.has(worker) || this.random.chance(this.loss)) return;
    this.timeline.after(this.delay(), answered);
  }

  private delay(): number {
    return this.random.chance(this.slowness) ? this.random.between(500, 5000) : this.random.between(1, 40);
  }
}
