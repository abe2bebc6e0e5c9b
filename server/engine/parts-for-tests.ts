/**
 * Engine and gateway as real processes for tests: bundled once, started with their environment, killed at will.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { checkoutDirectory } from "@/server/checkout";
import { freePort } from "@/server/free-port";
import { homeAt } from "@/server/home";
import { type PartConfig, partEnvironment } from "@/server/part-config";

export class Parts {
  readonly gatewayUrl: string;
  private readonly running = new Set<ChildProcess>();
  output = "";

  private constructor(
    private readonly directory: string,
    readonly config: PartConfig,
  ) {
    this.gatewayUrl = `http://127.0.0.1:${config.gatewayPort}`;
  }

  static async prepare(databaseUrl: string): Promise<Parts> {
    const checkout = checkoutDirectory();
    const directory = await mkdtemp(join(tmpdir(), "gridloom-parts-"));
    await symlink(join(checkout, "node_modules"), join(directory, "node_modules"));
    await build({
      entryPoints: {
        engine: join(checkout, "server/engine/main.ts"),
        gateway: join(checkout, "server/gateway/main.ts"),
      },
      outdir: directory,
      outExtension: { ".js": ".mjs" },
      absWorkingDir: checkout,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      packages: "external",
    });
    return new Parts(directory, {
      home: homeAt(join(directory, "home")),
      databaseUrl,
      host: "127.0.0.1",
      port: 0,
      publicUrl: "http://127.0.0.1",
      engineSocket: join(directory, "engine.sock"),
      gatewayPort: await freePort(0),
      authSecret: "none",
      development: false,
    });
  }

  /** Returns when the part says it is ready. */
  async start(part: "engine" | "gateway"): Promise<ChildProcess> {
    const child = spawn(process.execPath, [join(this.directory, `${part}.mjs`)], {
      env: { ...process.env, ...partEnvironment(this.config) },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.running.add(child);
    child.once("exit", () => this.running.delete(child));
    child.stdout?.on("data", (text: Buffer) => this.note(text));
    child.stderr?.on("data", (text: Buffer) => this.note(text));
    await new Promise<void>((resolve, reject) => {
      child.once("message", () => resolve());
      child.once("exit", (code) => reject(new Error(`the ${part} ended with ${code}:\n${this.output}`)));
    });
    return child;
  }

  async kill(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.running].map((child) => this.kill(child)));
    await rm(this.directory, { recursive: true, force: true });
  }

  private note(text: Buffer): void {
    this.output = (this.output + text.toString()).slice(-20_000);
  }
}
