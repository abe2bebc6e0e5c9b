/** Ports of this machine's loopback interface, asked of the system. */
import { createServer } from "node:net";

/** The wanted port if it is free, else any free one. */
export async function freePort(wanted = 0): Promise<number> {
  if (wanted !== 0 && (await portIsFree(wanted, "127.0.0.1"))) return wanted;
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("No free port")),
      );
    });
  });
}

export async function portIsFree(port: number, host: string): Promise<boolean> {
  return (await whyPortIsUnusable(port, host)) === undefined;
}

/** The system's error code (EADDRINUSE, EACCES, EADDRNOTAVAIL, …), or undefined when the port can be used. */
export function whyPortIsUnusable(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
