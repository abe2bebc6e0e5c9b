/**
 * What the supervisor and its parts (engine, gateway, web) say to each other: configuration by environment on the
 * way in, `{ ready: true }` and `{ trouble: … }` (portal-trouble.ts) over IPC on the way out. A part ends when it is told to (SIGTERM) and when the
 * supervisor is gone (IPC disconnect); Ctrl-C reaches the whole process group, so parts leave SIGINT to
 * the supervisor.
 */
import { type Home, homeAt } from "./home";
import type { TroubleKind } from "./portal-trouble";

export interface PartConfig {
  home: Home;
  databaseUrl: string;
  /** Public address of the web part. */
  host: string;
  port: number;
  /** What people type, where the portal cannot tell by the request (behind a proxy). */
  publicUrl?: string;
  /** A Unix socket path (starts with `/`) or `host:port` the engine listens on. */
  engineSocket: string;
  gatewayPort: number;
  authSecret: string;
  /** `npm run dev`: pages are compiled as they are asked for. */
  development: boolean;
}

export type PartEnvironment = Record<
  | "GRIDLOOM_HOME"
  | "DATABASE_URL"
  | "HOST"
  | "PORT"
  | "GRIDLOOM_ENGINE_SOCKET"
  | "GRIDLOOM_GATEWAY_PORT"
  | "GRIDLOOM_AUTH_SECRET",
  string
> & { NODE_ENV: "development" | "production"; GRIDLOOM_URL?: string };

export function partEnvironment(config: PartConfig): PartEnvironment {
  return {
    GRIDLOOM_HOME: config.home.root,
    DATABASE_URL: config.databaseUrl,
    HOST: config.host,
    PORT: String(config.port),
    GRIDLOOM_ENGINE_SOCKET: config.engineSocket,
    GRIDLOOM_GATEWAY_PORT: String(config.gatewayPort),
    GRIDLOOM_AUTH_SECRET: config.authSecret,
    NODE_ENV: config.development ? "development" : "production",
    ...(config.publicUrl && { GRIDLOOM_URL: config.publicUrl }),
  };
}

export function readPartConfig(environment: NodeJS.ProcessEnv = process.env): PartConfig {
  const text = (name: Exclude<keyof PartEnvironment, "GRIDLOOM_URL">) => {
    const value = environment[name];
    if (!value) throw new Error(`${name} is not set: parts are started by the supervisor (npm start).`);
    return value;
  };
  const port = (name: "PORT" | "GRIDLOOM_GATEWAY_PORT") => {
    const value = Number(text(name));
    if (!Number.isInteger(value) || value < 0 || value > 65535) throw new Error(`${name} is not a port number.`);
    return value;
  };
  return {
    home: homeAt(text("GRIDLOOM_HOME")),
    databaseUrl: text("DATABASE_URL"),
    host: text("HOST"),
    port: port("PORT"),
    ...(environment.GRIDLOOM_URL && { publicUrl: environment.GRIDLOOM_URL }),
    engineSocket: text("GRIDLOOM_ENGINE_SOCKET"),
    gatewayPort: port("GRIDLOOM_GATEWAY_PORT"),
    authSecret: text("GRIDLOOM_AUTH_SECRET"),
    development: environment.NODE_ENV === "development",
  };
}

/** Call when the part can do its work. */
export function reportReady(): void {
  process.send?.({ ready: true });
}

let reported: TroubleKind | undefined;

/** Says what keeps runs from going on, for people to see; undefined when it is over. */
export function reportTrouble(trouble: TroubleKind | undefined): void {
  if (trouble === reported) return;
  reported = trouble;
  process.send?.({ trouble: trouble ? { is: trouble } : null });
}

/** Calls `stop` once, on SIGTERM or when the supervisor is gone, then exits; after two seconds in any case. */
export function stopWithSupervisor(stop: () => Promise<void> | void): void {
  let stopping = false;
  const begin = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), 2000).unref();
    Promise.resolve()
      .then(stop)
      .then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error);
          process.exit(1);
        },
      );
  };
  process.on("SIGTERM", begin);
  process.on("SIGINT", () => {});
  process.on("disconnect", begin);
}
