/**
 * The whole portal on this machine: database, migrations, local cluster, parts. Used by `npm start`, by the command
 * line's `run` (without web) and by integration tests.
 *
 *   start: lock the home → database → migrations → local cluster → engine, gateway and web together; the agent
 *   as soon as the gateway takes it.
 *   stop:  web, agent, engine, gateway, database; within five seconds whatever happens, also in the middle of a start.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkoutDirectory } from "./checkout";
import { type Database, openDatabase } from "./database";
import { freePort, whyPortIsUnusable } from "./free-port";
import type { Home } from "./home";
import { LocalCluster } from "./local-cluster";
import { applyMigrations } from "./migrations";
import { createHome } from "./open-home";
import { type PartConfig, partEnvironment } from "./part-config";
import { type PortalAddress, PortalLock } from "./portal-lock";
import { TroubleBoard, troubleIn } from "./portal-trouble";
import { secret } from "./secrets";
import { StartProblem } from "./start-problem";
import type { BackOff, Launch } from "./supervised-part";
import { Supervisor } from "./supervisor";

export interface StackOptions {
  home: Home;
  /** Without web there are no pages and no public port: the engine, the gateway and the local agent only. */
  web: boolean;
  /** Default 3000; 0 takes any free one. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** What people type, where it is not `http://localhost:PORT` (behind a proxy). */
  publicUrl?: string;
  /** An external PostgreSQL; the embedded one if absent. */
  databaseUrl?: string;
  /** Slots of the local cluster; default: as many as cores. */
  slots?: number;
  /** A second engine that waits to take over; default: none, a killed engine is started again anyway. */
  standby?: boolean;
  development?: boolean;
  /** How soon a part that ended is started again. */
  backOff?: BackOff;
  /** Lines for people. */
  log: (line: string) => void;
}

export interface Stack extends PortalAddress {
  /** The processes of the parts, by name. */
  pids(): Record<string, number | undefined>;
  restart(part: string): void;
  stop(): Promise<void>;
}

/** Starts everything and returns when it can be used. An abort while it starts stops what was started. */
export async function startStack(options: StackOptions, abort?: AbortSignal): Promise<Stack> {
  const stack = new StackInProgress(options);
  const onAbort = () => void stack.stop();
  abort?.addEventListener("abort", onAbort);
  try {
    if (abort?.aborted) throw new StackStopped();
    return await stack.start();
  } catch (error) {
    await stack.stop();
    throw error;
  } finally {
    abort?.removeEventListener("abort", onAbort);
  }
}

/** Why a start ended early: somebody asked it to stop. */
export class StackStopped extends Error {}

class StackInProgress {
  private lock: PortalLock | undefined;
  private database: Database | undefined;
  private cluster: LocalCluster | undefined;
  private readonly supervisor: Supervisor;
  private readonly troubles = new TroubleBoard(() => this.tellTrouble());
  private socketDirectory: string | undefined;
  private starting: Promise<unknown> = Promise.resolve();
  private stopped: Promise<void> | undefined;

  constructor(private readonly options: StackOptions) {
    this.supervisor = new Supervisor(options.home.logs, options.log, options.backOff);
  }

  start(): Promise<Stack> {
    const start = this.startAll();
    this.starting = start.catch(() => {});
    return start;
  }

  stop(): Promise<void> {
    this.stopped ??= this.stopAll();
    return this.stopped;
  }

  private async startAll(): Promise<Stack> {
    const { home, log } = this.options;
    await createHome(home);
    this.lock = await PortalLock.take(home, this.options.web);
    const { host, port, url } = await this.publicAddress();
    this.check();
    this.database = await openDatabase(home, this.options.databaseUrl, {
      log,
      onTrouble: (trouble) => this.troubles.report("database", trouble),
    });
    this.check();
    await applyMigrations(this.database.url, this.options.web ? { log } : {});
    this.check();
    // Made before the parts that use it, so that no two of them make one.
    await secret(home, "credential-key");
    const config: PartConfig = {
      home,
      databaseUrl: this.database.url,
      host,
      port,
      ...(this.options.publicUrl && { publicUrl: this.options.publicUrl }),
      engineSocket: await this.engineSocket(),
      gatewayPort: await freePort(),
      authSecret: await secret(home, "auth-secret"),
      development: this.options.development ?? false,
    };
    const gatewayUrl = `http://127.0.0.1:${config.gatewayPort}`;
    const slots = this.options.slots ?? availableParallelism();
    this.cluster = await LocalCluster.prepare(home, this.database.url, slots);
    this.check();
    await this.startParts(config, gatewayUrl, this.cluster);
    this.check();
    const address: PortalAddress = {
      databaseUrl: this.database.url,
      gatewayUrl,
      ...(this.options.web && { url }),
    };
    await this.lock.announce(address);
    return {
      ...address,
      pids: () => this.supervisor.pids(),
      restart: (part) => this.supervisor.restart(part),
      stop: () => this.stop(),
    };
  }

  private async startParts(config: PartConfig, gatewayUrl: string, cluster: LocalCluster): Promise<void> {
    const { log } = this.options;
    const part = (
      name: "engine" | "standby" | "gateway" | "clusters" | "web",
      runs = name === "standby" ? "engine" : name,
    ) =>
      this.supervisor.start({
        name,
        launch: () => launchOf(runs, config),
        onMessage: (message) => {
          const trouble = troubleIn(message);
          if (trouble !== undefined) this.troubles.report(name, trouble?.is);
        },
        onExit: () => this.troubles.report(name, undefined),
        ...(name === "web" && { onReady: () => this.tellTrouble() }),
      });
    const gateway = part("gateway");
    const agent = gateway.then(() => {
      if (this.stopped) return;
      const launch = () => cluster.launch(gatewayUrl, program("agent"));
      return this.supervisor.start({ name: "agent", launch, saysReady: false });
    });
    // Without an agent the portal can still be used and tell why nothing runs.
    const agentStarted = agent.catch((error: unknown) => {
      if (!this.stopped) log(error instanceof Error ? error.message : String(error));
    });
    // Nor does the portal wait for the part that speaks with clusters: what it does it does in its own time.
    part("clusters").catch((error: unknown) => {
      if (!this.stopped) log(error instanceof Error ? error.message : String(error));
    });
    const needed = [part("engine"), gateway, agentStarted];
    if (this.options.standby) needed.push(part("standby"));
    if (this.options.web) needed.push(part("web"));
    await Promise.all(needed).catch((error: unknown) => {
      throw this.stopped
        ? new StackStopped()
        : new StartProblem(error instanceof Error ? error.message : String(error));
    });
  }

  /** The pages that are open show it: a person should see why nothing moves. */
  private tellTrouble(): void {
    this.supervisor.tell("web", { trouble: this.troubles.trouble ?? null });
  }

  private async publicAddress(): Promise<{ host: string; port: number; url: string }> {
    const { web, host = "127.0.0.1", port: asked = 3000 } = this.options;
    if (!web) return { host, port: 0, url: "" };
    const port = asked === 0 ? await freePort() : asked;
    const why = await whyPortIsUnusable(port, host);
    if (why) throw new StartProblem(portProblem(why, host, port));
    const everyInterface = host === "0.0.0.0" || host === "::" || host.startsWith("127.") || host === "::1";
    const name = everyInterface ? "localhost" : host.includes(":") ? `[${host}]` : host;
    return { host, port, url: this.options.publicUrl ?? `http://${name}:${port}` };
  }

  /** The system allows about a hundred bytes for a socket's path; a home deep down gets a short one elsewhere. */
  private async engineSocket(): Promise<string> {
    const path = join(this.options.home.run, "engine.sock");
    if (Buffer.byteLength(path) <= 100) return path;
    this.socketDirectory = await mkdtemp(join(tmpdir(), "gridloom-"));
    return join(this.socketDirectory, "engine.sock");
  }

  private check(): void {
    if (this.stopped) throw new StackStopped();
  }

  private async stopAll(): Promise<void> {
    const begin = performance.now();
    await this.supervisor.stop();
    // In the middle of a start: let it come to its next check, so that nothing is started behind our back.
    await Promise.race([this.starting, sleep(2500, undefined, { ref: false })]);
    await this.supervisor.stop();
    await this.cluster?.close();
    await this.database?.stop(Math.max(300, 4200 - (performance.now() - begin)));
    if (this.socketDirectory) await rm(this.socketDirectory, { recursive: true, force: true });
    await this.lock?.release();
  }
}

function program(name: string): string {
  return join(checkoutDirectory(), "dist", `${name}.js`);
}

function launchOf(name: string, config: PartConfig): Launch {
  // What npm tells its scripts is of no use to a part.
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith("npm_")));
  return {
    command: process.execPath,
    arguments: ["--enable-source-maps", program(name)],
    environment: { ...inherited, ...partEnvironment(config) },
    directory: dirname(dirname(program(name))),
  };
}

function portProblem(why: string, host: string, port: number): string {
  switch (why) {
    case "EADDRINUSE":
      return `Port ${port} is taken by another program. Stop that program, or choose another port: PORT=${port + 1} npm start`;
    case "EACCES":
      return `This account may not listen on port ${port}. Choose one above 1023: PORT=3000 npm start`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `HOST is ${host}, which is not an address of this machine. Leave it out for this machine only, or use 0.0.0.0 for every interface.`;
    default:
      return `Port ${port} of ${host} cannot be used (${why}). Choose another with PORT and HOST.`;
  }
}
