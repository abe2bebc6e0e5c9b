/**
 * The embedded PostgreSQL: a real server on the loopback interface, with a generated password, that lives exactly as
 * long as the portal.
 *
 *   startPostgres: programs → account → data directory → end what a crash left → start under the guard → wait
 *   until it answers → the database `gridloom` exists.
 *
 * The port is kept from start to start where it is free; a server that ends by itself is reported, and
 * `restart` brings it back on the same port, because every part knows it by its address.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { freePort } from "@/server/free-port";
import type { Home } from "@/server/home";
import { secret, writePrivateFile } from "@/server/secrets";
import { StartProblem } from "@/server/start-problem";
import { type Account, databaseAccount } from "./account";
import { databaseOwner, explainDatabaseFailure, prepareDataDirectory } from "./data-directory";
import { type GuardedServer, spawnGuarded } from "./guard";
import { findPrograms, type PostgresPrograms } from "./programs";
import { endStaleServer } from "./stale-server";

const databaseName = "gridloom";
/** A server that recovers from a crash may take its time; we wait as long as it lives. */
const startPatienceMs = 120_000;

export interface PostgresOptions {
  home: Home;
  /** Lines for people. */
  log: (line: string) => void;
  /** Everything the server writes. */
  output?: (text: string) => void;
  /** The server ended without being asked to. */
  onUnexpectedExit?: (how: string) => void;
}

export class EmbeddedPostgres {
  private child: GuardedServer | undefined;
  private ended: Promise<string> = Promise.resolve("not started");
  private wanted = false;
  private answered = false;
  private said = "";

  private constructor(
    private readonly options: PostgresOptions,
    private readonly programs: PostgresPrograms,
    private readonly account: Account | undefined,
    private readonly port: number,
    private readonly password: string,
  ) {}

  static async start(options: PostgresOptions): Promise<EmbeddedPostgres> {
    const { home } = options;
    const account = await databaseAccount(home.database);
    const programs = await findPrograms(home, account);
    const password = await secret(home, "database-password");
    await prepareDataDirectory(home.database, programs, account, password);
    await endStaleServer(home.database, options.log);
    const portFile = join(home.run, "postgres.port");
    const port = await freePort(Number(await readFile(portFile, "utf8").catch(() => "0")) || 0);
    await writePrivateFile(portFile, `${port}\n`);
    const server = new EmbeddedPostgres(options, programs, account, port, password);
    await server.restart();
    return server;
  }

  get url(): string {
    return this.urlOf(databaseName);
  }

  /** Starts the server that `start` prepared, and returns when it answers. */
  async restart(): Promise<void> {
    this.wanted = true;
    this.launch();
    try {
      await this.untilItAnswers();
      await this.ensureDatabase();
    } catch (error) {
      await this.stop(2000);
      throw error;
    }
  }

  /** Fast shutdown; what is not done after `patienceMs` is cut off and repaired from the log at the next start. */
  async stop(patienceMs = 8000): Promise<void> {
    this.wanted = false;
    const child = this.child;
    if (!child) return;
    child.stdin.destroy();
    if (await this.endsWithin(patienceMs)) return;
    await this.signalServer("SIGQUIT");
    if (await this.endsWithin(400)) return;
    await this.signalServer("SIGKILL");
    if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
    await this.endsWithin(1000);
  }

  private launch(): void {
    this.said = "";
    const { home } = this.options;
    const child = spawnGuarded(this.programs.postgres, serverOptions(home.database, this.port), this.account);
    this.child = child;
    child.stdin.on("error", () => {});
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text: string) => {
      this.said = (this.said + text).slice(-16_384);
      this.options.output?.(text);
    });
    this.ended = new Promise((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("exit", (code, signal) => resolve(signal ? `signal ${signal}` : `code ${code}`));
    });
    void this.ended.then((how) => {
      if (this.child === child) this.child = undefined;
      if (this.wanted && this.answered) this.options.onUnexpectedExit?.(how);
    });
    this.answered = false;
  }

  private async untilItAnswers(): Promise<void> {
    const deadline = performance.now() + startPatienceMs;
    let relaunches = 0;
    for (;;) {
      const failure = await this.tryToConnect();
      if (!failure) break;
      if (!this.child) {
        // Backends of a server that was killed outright need a moment to notice.
        if (/shared memory block .* is still in use|lock file .* already exists/.test(this.said) && relaunches++ < 20) {
          await sleep(250);
          this.launch();
          continue;
        }
        throw new StartProblem(explainDatabaseFailure(this.said, this.options.home.database, await this.ended));
      }
      if (failure.code === "28P01") {
        throw new StartProblem(
          `The password in ${join(this.options.home.secrets, "database-password")} is not the one the database was made with.`,
        );
      }
      if (performance.now() > deadline) {
        throw new StartProblem(explainDatabaseFailure(this.said, this.options.home.database, "no answer"));
      }
      await sleep(25);
    }
    this.answered = true;
  }

  private async tryToConnect(): Promise<{ code: string } | undefined> {
    const client = new Client({ connectionString: this.urlOf("postgres"), connectionTimeoutMillis: 5000 });
    client.on("error", () => {});
    try {
      await client.connect();
      return undefined;
    } catch (error) {
      return { code: error instanceof Error && "code" in error ? String(error.code) : "" };
    } finally {
      await client.end().catch(() => {});
    }
  }

  private async ensureDatabase(): Promise<void> {
    const client = new Client({ connectionString: this.urlOf("postgres") });
    await client.connect();
    try {
      const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [databaseName]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${databaseName}`);
    } finally {
      await client.end();
    }
  }

  private async endsWithin(ms: number): Promise<boolean> {
    const timer = new AbortController();
    const done = await Promise.race([
      this.ended.then(() => true),
      sleep(ms, false, { signal: timer.signal }).catch(() => false),
    ]);
    timer.abort();
    return done;
  }

  private async signalServer(signal: "SIGQUIT" | "SIGKILL"): Promise<void> {
    const file = await readFile(join(this.options.home.database, "postmaster.pid"), "utf8").catch(() => "");
    const pid = Number(file.split("\n")[0]);
    if (pid > 1) signalProcess(pid, signal);
  }

  private urlOf(database: string): string {
    return `postgresql://${databaseOwner}:${this.password}@127.0.0.1:${this.port}/${database}`;
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in the meantime, which is what we wanted.
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  signalProcess(-pid, signal);
}

/** Durability (fsync, synchronous_commit) stays as PostgreSQL has it: on. The rest suits a machine shared with the work itself. */
function serverOptions(directory: string, port: number): string[] {
  const settings: Record<string, string> = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    max_connections: "60",
    shared_buffers: "96MB",
    // Nobody replicates the embedded server: less to write for each commit.
    wal_level: "minimal",
    max_wal_senders: "0",
    max_wal_size: "512MB",
    min_wal_size: "96MB",
    checkpoint_timeout: "10min",
    // Containers often have a tiny /dev/shm, which parallel queries would need.
    max_parallel_workers_per_gather: "0",
    io_method: "sync",
    huge_pages: "off",
    jit: "off",
    timezone: "UTC",
    log_timezone: "UTC",
    log_min_messages: "warning",
    log_line_prefix: "%m [%p] ",
  };
  return ["-D", directory, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}
