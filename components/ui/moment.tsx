"use client";
/**
 * Moments in the reader's own zone. The server does not know the zone, so it renders the ISO date and the browser
 * replaces it after hydration; `useNow` is the one clock that makes elapsed times tick.
 */
import { useEffect, useState } from "react";
import { ago, duration } from "./format";
import { useInBrowser } from "./use-in-browser";

const dayFormat = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const clockFormat = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** The current time, refreshed every `everyMs`; undefined until the browser has taken over. */
export function useNow(everyMs: number, active = true): number | undefined {
  const [now, setNow] = useState<number>();
  useEffect(() => {
    setNow(Date.now());
    if (!active) return;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, active]);
  return now;
}

/** A moment: `12:03:04` today, otherwise `3 Mar 2026, 12:03:04`; in full on hover. */
export function Moment({ at, style = "exact" }: { at: Date; style?: "exact" | "ago" }) {
  const inBrowser = useInBrowser();
  const now = useNow(15_000, style === "ago");
  const iso = at.toISOString();
  let text = `${iso.slice(0, 16).replace("T", " ")} UTC`;
  if (inBrowser) {
    const clock = clockFormat.format(at);
    const today = dayFormat.format(at) === dayFormat.format(now ?? Date.now());
    const exact = today ? clock : `${dayFormat.format(at)}, ${clock}`;
    text = style === "ago" && now !== undefined ? (ago(at.getTime(), now) ?? dayFormat.format(at)) : exact;
  }
  return (
    <time
      dateTime={iso}
      title={inBrowser ? `${dayFormat.format(at)}, ${clockFormat.format(at)}` : iso}
      className="whitespace-nowrap"
    >
      {text}
    </time>
  );
}

/** Time from `from` to `to`, or until now while it lasts. */
export function Elapsed({ from, to }: { from: Date; to?: Date | null }) {
  const now = useNow(500, !to);
  if (to) return <span className="num whitespace-nowrap">{duration(to.getTime() - from.getTime())}</span>;
  return <span className="num whitespace-nowrap">{now === undefined ? "…" : duration(now - from.getTime())}</span>;
}
