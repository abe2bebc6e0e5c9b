"use client";
/**
 * Says on every page when something keeps all runs from going on. It asks an address that needs neither the database nor
 * a session, because the database may be what is missing.
 */
import { useEffect, useState } from "react";
import { useVisible } from "@/components/run-view/use-visible";
import { Notice } from "@/components/ui/notice";
import type { PortalStatus } from "@/server/portal-trouble";

const askEveryMs = 5_000;

export function StatusBanner() {
  const visible = useVisible();
  const [trouble, setTrouble] = useState<PortalStatus["trouble"]>(null);
  useEffect(() => {
    if (!visible) return;
    const ended = new AbortController();
    const ask = () =>
      fetch("/api/status", { signal: ended.signal })
        .then((answer) => answer.json())
        .then((status: PortalStatus) => setTrouble(status.trouble))
        // The page's own connection says when the portal cannot be reached at all.
        .catch(() => undefined);
    void ask();
    const timer = setInterval(ask, askEveryMs);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [visible]);
  if (!trouble) return null;
  return (
    <div className="mb-4">
      <Notice kind="danger" testId="portal-trouble">
        {trouble.sentence}
      </Notice>
    </div>
  );
}
