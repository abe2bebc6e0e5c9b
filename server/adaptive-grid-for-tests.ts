/**
 * Several hosts on one machine, each with a real agent: a host has a name of its own (a UTS namespace) and facts of its own, its
 * agent speaks with the gateway over a link that can be cut, and all of it can be killed at once.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildSync } from "esbuild";
import type { RunId } from "@/core/engine/ids";
import { checkoutDirectory } from "@/server/checkout";
import { GridForTests } from "@/server/clusters/grid-for-tests";
import { attemptsOfTask } from "@/server/journal/queries/attempts-of-task";
import { expectAgent } from "@/server/journal/queries/expect-agent";

/** A way to the gateway that can be cut, with everything that is on it. */
class Link {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private isCut = false;
  port = 0;

  constructor(target: URL) {
    this.server = createServer((near) => {
      if (this.isCut) {
        near.destroy();
        return;
      }
      const far = connect(Number(target.port), target.hostname);
      for (const socket of [near, far]) {
        this.sockets.add(socket);
        socket.on("error", () => undefined).on("close", () => this.sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
      near.on("close", () => far.destroy());
      far.on("close", () => near.destroy());
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    const address = this.server.address();
    this.port = typeof address === "object" && address ? address.port : 0;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  close(): void {
    this.cut();
    this.server.close();
  }
}

export class Host {
  readonly directory = mkdtempSync(join(tmpdir(), "gridloom-host-"));
  agent = "";
  log = "";
  exitCode: number | null | undefined;
  private child: ChildProcess | undefined;

  constructor(
    readonly name: string,
    readonly link: Link,
    private readonly program: string,
    private readonly options: HostOptions,
  ) {
    chmodSync(this.directory, 0o711);
    for (const part of ["agent", "slots"]) mkdirSync(join(this.directory, part), { mode: 0o711 });
  }

  /** `agent` is expected by the portal. */
  start(agent: string, token: string): void {
    this.agent = agent;
    const inDirectory = (name: string) => join(this.directory, "agent", name);
    writeFileSync(inDirectory("identity.json"), JSON.stringify({ agent }));
    writeFileSync(inDirectory("token"), token, { mode: 0o600 });
    const config = {
      gatewayUrl: `http://127.0.0.1:${this.link.port}`,
      ...{
        tokenFile: inDirectory("token"),
        directory: inDirectory("."),
        slotsDirectory: join(this.directory, "slots"),
      },
      ...{ slots: [{ number: 1 }], isolation: "none", hide: [], ...this.options.config },
    };
    writeFileSync(inDirectory("config.json"), JSON.stringify(config));
    const inside = `hostname "$0" && exec "$@"`;
    const words = [process.execPath, this.program, "--config", inDirectory("config.json")];
    const { processor } = this.options;
    const pinned = processor === undefined ? [] : ["taskset", "-c", String(processor)];
    this.exitCode = undefined;
    // Its own process group: a host that dies takes along everything that runs on it.
    const child = spawn(
      "unshare",
      ["--uts", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", inside, this.name, ...pinned, ...words],
      {
        stdio: ["ignore", "ignore", "pipe"],
        cwd: "/",
        env: { PATH: process.env.PATH ?? "/usr/bin:/bin", NODE_ENV: "production" },
      },
    );
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.log += text;
    });
    child.on("exit", (code) => {
      this.exitCode = code;
    });
    this.child = child;
  }

  /** As by a power cut: the agent and its tasks are gone at once. */
  async die(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  async remove(): Promise<void> {
    await this.die();
    this.link.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  slotFile(name: string): string | undefined {
    try {
      return readFileSync(join(this.directory, "slots", "1", name), "utf8");
    } catch {
      return undefined;
    }
  }
}

export interface HostOptions {
  /** Further settings of the agent's configuration. */
  config?: Record<string, unknown>;
  /** The one processor it has. */
  processor?: number;
}

export class AdaptiveGrid extends GridForTests {
  private readonly hosts: Host[] = [];
  private program = "";

  override async start(): Promise<void> {
    await this.open();
    await this.startParts();
    this.program = join(mkdtempSync(join(tmpdir(), "gridloom-agent-program-")), "agent.mjs");
    const entry = join(checkoutDirectory(), "agent/main.ts");
    buildSync({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", outfile: this.program });
  }

  override async stop(): Promise<void> {
    await this.clear();
    rmSync(join(this.program, ".."), { recursive: true, force: true });
    await super.stop();
  }

  /** The hosts of the last test. */
  async clear(): Promise<void> {
    for (const host of this.hosts.splice(0)) await host.remove();
  }

  async host(name: string, options: HostOptions = {}): Promise<Host> {
    const link = new Link(new URL(this.parts.gatewayUrl));
    await link.open();
    const host = new Host(name, link, this.program, options);
    this.hosts.push(host);
    await this.startAgentOn(host);
    return host;
  }

  /** A new identity, as whoever supervises an agent gives it one. */
  async startAgentOn(host: Host): Promise<void> {
    const id = randomUUID();
    const token = randomUUID();
    await expectAgent(this.pool, { id, cluster: "local", token });
    host.start(id, token);
    await this.until(`${host.name} has joined`, async () => {
      const { rows } = await this.pool.query("SELECT FROM engine.agent WHERE id = $1 AND state = 'joined'", [id]);
      return rows.length > 0;
    });
  }

  async until<T>(what: string, look: () => Promise<T>, patienceMs = 110_000): Promise<NonNullable<T>> {
    for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(150)) {
      const found = await look();
      if (found) return found;
    }
    throw new Error(`It did not happen in time that ${what}.\n${this.hosts.map(({ log }) => log).join("\n")}`);
  }

  async attempts(run: RunId, task = 0) {
    return await attemptsOfTask(this.pool, run, task);
  }

  async stateIs(run: RunId, wanted: string, patienceMs?: number): Promise<void> {
    await this.until(`the run is ${wanted}`, async () => (await this.stateOf(run)) === wanted, patienceMs);
  }

  async eventsOf(run: RunId): Promise<{ code: string; args: Record<string, unknown> }[]> {
    const { rows } = await this.pool.query<{ code: string; args: Record<string, unknown> }>(
      "SELECT code, args FROM engine.event WHERE run = $1 ORDER BY id",
      [run],
    );
    return rows;
  }

  /** The restart files the portal holds of a task: sizes by name. */
  async restartFiles(run: RunId, task = 0): Promise<Record<string, number> | undefined> {
    const { rows } = await this.pool.query<{ files: { name: string; size: number }[] }>(
      "SELECT files FROM engine.checkpoint WHERE run = $1 AND task = $2",
      [run, task],
    );
    return rows[0] && Object.fromEntries(rows[0].files.map(({ name, size }) => [name, size]));
  }
}
