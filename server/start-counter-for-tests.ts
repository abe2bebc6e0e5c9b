/**
 * Counts how often each task really started, outside the portal: a task says its number over a connection to the test's
 * own process. A file would not do everywhere: a task of an ordinary user sees its disk read-only and a /tmp of its own.
 */
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export class StartCounter {
  private readonly counts = new Map<number, number>();
  private connections = 0;

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {}

  static async open(): Promise<StartCounter> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port: 0, host: "127.0.0.1", backlog: 1024 }, resolve);
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The counter has no port.");
    const counter = new StartCounter(server, address.port);
    server.on("connection", (socket) => {
      counter.connections += 1;
      let said = "";
      socket.setEncoding("utf8");
      socket.on("data", (text: string) => {
        said += text;
      });
      socket.on("error", () => {});
      socket.on("close", () => {
        counter.connections -= 1;
        counter.count(Number.parseInt(said, 10));
      });
    });
    return counter;
  }

  /** What a task runs to be counted, for a shell. `number` may be a variable of the workflow's language. */
  command(number: string): string {
    return `bash -c 'echo ${number} >/dev/tcp/127.0.0.1/${this.port}'`;
  }

  /** Starts of the tasks 0 to `tasks` - 1. What is on its way is waited for. */
  async starts(tasks: number): Promise<number[]> {
    do await sleep(50);
    while (this.connections > 0);
    return Array.from({ length: tasks }, (_, task) => this.counts.get(task) ?? 0);
  }

  close(): void {
    this.server.close();
  }

  private count(task: number): void {
    this.counts.set(task, (this.counts.get(task) ?? 0) + 1);
  }
}
