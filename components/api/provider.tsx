"use client";
/**
 * The browser's way to the API: queries and mutations in batches over HTTP, subscriptions over server-sent events.
 * Subscriptions carry their last event id, so after a lost connection only what is newer comes again.
 */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink, TRPCClientError } from "@trpc/client";
import { createTRPCContext } from "@trpc/tanstack-react-query";
import { type ReactNode, useState } from "react";
import superjson from "superjson";
import type { AppRouter } from "@/server/api/root";

const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

export { useTRPC, useTRPCClient };

const path = "/api/trpc";

export function ApiProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          queries: { staleTime: 5_000, retry: (failures, error) => failures < 2 && !isRefusal(error) },
        },
      }),
  );
  const [trpcClient] = useState(() =>
    createTRPCClient<AppRouter>({
      links: [
        splitLink({
          condition: (operation) => operation.type === "subscription",
          true: httpSubscriptionLink({ url: path, transformer: superjson }),
          false: httpBatchLink({ url: path, transformer: superjson, maxURLLength: 4000 }),
        }),
      ],
    }),
  );
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}

/** Asking again would get the same answer: not found, not allowed, not understood. */
function isRefusal(error: unknown): boolean {
  const status = errorStatus(error);
  return status !== undefined && status >= 400 && status < 500;
}

/** The HTTP status the server answered with; undefined if it was not reached. */
export function errorStatus(error: unknown): number | undefined {
  if (!(error instanceof TRPCClientError)) return undefined;
  const data: unknown = error.data;
  if (typeof data !== "object" || data === null || !("httpStatus" in data)) return undefined;
  return typeof data.httpStatus === "number" ? data.httpStatus : undefined;
}

/** What to tell a person. The server words its refusals itself; silence means it could not be reached. */
export function errorSentence(error: unknown): string {
  if (errorStatus(error) === undefined) return "The portal could not be reached. Check the connection and try again.";
  return error instanceof Error ? error.message : "Something went wrong.";
}
