/** A link to the portal that a test can cut and mend, connections in use included: what a laptop's lid or a dead switch does. */
import { connect, createServer, type Socket } from "node:net";

export interface CuttableLink {
  url: string;
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function cuttableLink(portalPort: number): Promise<CuttableLink> {
  const open = new Set<Socket>();
  let whole = true;
  const server = createServer((browser) => {
    if (!whole) {
      browser.destroy();
      return;
    }
    const portal = connect(portalPort, "127.0.0.1");
    for (const [near, far] of [
      [browser, portal],
      [portal, browser],
    ] as const) {
      open.add(near);
      near.pipe(far);
      near.on("error", () => far.destroy());
      near.on("close", () => {
        open.delete(near);
        far.destroy();
      });
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The link has no port.");
  return {
    url: `http://localhost:${address.port}`,
    cut() {
      whole = false;
      for (const socket of open) socket.destroy();
    },
    mend() {
      whole = true;
    },
    close: () =>
      new Promise((closed) => {
        for (const socket of open) socket.destroy();
        server.close(() => closed());
      }),
  };
}
