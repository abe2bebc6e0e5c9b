/**
 * A subscription may live for hours, so the check at its start is not enough: the account is looked up again
 * now and then, and the stream ends when it was disabled.
 */
const recheckMs = 10_000;

export function whileSignedIn(
  ctx: { stillSignedIn(): Promise<boolean> },
  signal: AbortSignal | undefined,
): AbortSignal {
  const ended = new AbortController();
  const timer = setInterval(() => {
    ctx.stillSignedIn().then(
      (signedIn) => {
        if (!signedIn) ended.abort();
      },
      // The database is away for a moment; the stream waits for it as everything else does.
      () => undefined,
    );
  }, recheckMs);
  const end = () => ended.abort();
  ended.signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end, { once: true });
  return ended.signal;
}
