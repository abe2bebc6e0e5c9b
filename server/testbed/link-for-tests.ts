/**
 * A network link in user space: what arrives on one side leaves on the other after a delay, at a rate, or not at all while
 * the link is cut. Cut means silent, as a pulled cable is: nobody is told. One link may carry several passages, which share its rate.
 */
import {
  type AddressInfo,
  connect,
  createServer,
  type ListenOptions,
  type NetConnectOpts,
  type Server,
  type Socket,
} from "node:net";

export interface LinkOptions {
  delayMs?: number;
  bytesPerSecond?: number;
}

/** Under this much on its way, reading goes on. */
const mostOnItsWay = 256 * 1024;

export class Link {
  private isCut = false;
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly whenRestored: (() => void)[] = [];
  /** When each direction has sent what it has: the rate is the link's, not a connection's. */
  private readonly busyUntil = { out: 0, in: 0 };

  constructor(private readonly options: LinkOptions = {}) {}

  /** Listens at `from` and passes on to `to`; returns the port, if it is one. */
  async carry(from: ListenOptions, to: NetConnectOpts): Promise<number> {
    const server = createServer({ allowHalfOpen: true }, (near) => {
      this.sockets.add(near);
      near.on("error", () => {});
      near.on("close", () => this.sockets.delete(near));
      this.whenUp(() => this.join(near, to));
    });
    this.servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(from, resolve);
    });
    const address = server.address();
    return isPort(address) ? address.port : 0;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.pause();
  }

  restore(): void {
    this.isCut = false;
    for (const socket of this.sockets) socket.resume();
    for (const action of this.whenRestored.splice(0)) action();
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await Promise.all(this.servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  private join(near: Socket, to: NetConnectOpts): void {
    if (near.destroyed) return;
    const far = connect({ ...to, allowHalfOpen: true });
    this.sockets.add(far);
    far.on("close", () => this.sockets.delete(far));
    far.on("error", () => near.destroy());
    near.on("error", () => far.destroy());
    this.flow(near, far, "out");
    this.flow(far, near, "in");
  }

  private flow(from: Socket, to: Socket, direction: "out" | "in"): void {
    let onItsWay = 0;
    from.on("data", (chunk: Buffer) => {
      onItsWay += chunk.length;
      if (onItsWay > mostOnItsWay) from.pause();
      this.later(direction, chunk.length, () => {
        onItsWay -= chunk.length;
        if (!to.destroyed) to.write(chunk);
        if (onItsWay <= mostOnItsWay && !this.isCut) from.resume();
      });
    });
    from.on("end", () => this.later(direction, 0, () => to.end()));
    from.on("close", () => this.later(direction, 0, () => to.destroySoon()));
  }

  private later(direction: "out" | "in", bytes: number, action: () => void): void {
    const { delayMs = 0, bytesPerSecond } = this.options;
    const now = performance.now();
    const sending = bytesPerSecond === undefined ? 0 : (bytes / bytesPerSecond) * 1000;
    this.busyUntil[direction] = Math.max(this.busyUntil[direction], now) + sending;
    const wait = this.busyUntil[direction] + delayMs - now;
    const arrive = () => this.whenUp(action);
    if (wait < 1) arrive();
    else setTimeout(arrive, wait);
  }

  /** Kept in order: what waits for the link goes before what comes later. */
  private whenUp(action: () => void): void {
    if (this.isCut) this.whenRestored.push(action);
    else action();
  }
}

function isPort(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
