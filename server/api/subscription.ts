/**
 * A subscription may live for hours, so the check at its start is not enough: the account is looked up again now and then,
 * and the stream ends with a refusal when it was disabled.
 */
import { TRPCError } from "@trpc/server";

const recheckMs = 10_000;

export async function* whileSignedIn<T>(
  ctx: { stillSignedIn(): Promise<boolean> },
  signal: AbortSignal | undefined,
  open: (signal: AbortSignal) => AsyncIterable<T>,
  intervalMs = recheckMs,
): AsyncGenerator<T, void, unknown> {
  const ended = new AbortController();
  let refused = false;
  const recheck = setInterval(() => {
    ctx.stillSignedIn().then(
      (signedIn) => {
        if (signedIn) return;
        refused = true;
        ended.abort();
      },
      // The database is away for a moment; the stream waits for it as everything else does.
      () => undefined,
    );
  }, intervalMs);
  const end = () => ended.abort();
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end, { once: true });
  try {
    yield* open(ended.signal);
  } finally {
    clearInterval(recheck);
    signal?.removeEventListener("abort", end);
    end();
  }
  if (refused) throw new TRPCError({ code: "UNAUTHORIZED", message: "Please sign in first." });
}
