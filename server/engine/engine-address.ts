/**
 * Where the engine listens, as `GRIDLOOM_ENGINE_SOCKET` says it: a path, or `host:port`.
 */
export type EngineAddress = { path: string } | { host: string; port: number };

export function parseEngineAddress(text: string): EngineAddress {
  if (text.startsWith("/")) return { path: text };
  const colon = text.lastIndexOf(":");
  const port = Number(text.slice(colon + 1));
  if (colon <= 0 || !Number.isInteger(port) || port < 0 || port > 65535) {
    throw new Error(`“${text}” is neither a socket's path nor host:port.`);
  }
  return { host: text.slice(0, colon), port };
}
