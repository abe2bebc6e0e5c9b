/** The API over HTTP: queries and mutations as JSON, subscriptions as server-sent events. */
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { backend } from "@/server/api/backend";
import { createContext } from "@/server/api/context";
import { appRouter } from "@/server/api/root";

export const dynamic = "force-dynamic";

async function handler(request: Request): Promise<Response> {
  return await fetchRequestHandler({
    endpoint: "/api/trpc",
    req: request,
    router: appRouter,
    // A text to be checked does not fit into a URL.
    allowMethodOverride: true,
    createContext: () => createContext(backend(), request.headers),
    onError({ error, path }) {
      if (error.code === "INTERNAL_SERVER_ERROR") console.error(`API ${path ?? "?"}:`, error.cause ?? error);
    },
  });
}

export { handler as GET, handler as POST };
