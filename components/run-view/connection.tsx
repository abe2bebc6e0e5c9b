/** Says whether what is on the page is live, and when it was last updated. */
import { Moment } from "@/components/ui/moment";
import type { Connection as ConnectionName } from "./use-live-run";

const words: Record<ConnectionName, string> = {
  connecting: "connecting",
  live: "live",
  lost: "connection lost, trying again",
  paused: "paused while hidden",
  refused: "not updated any more",
};

export function Connection({ connection, updatedAt }: { connection: ConnectionName; updatedAt?: Date }) {
  const dot = connection === "live" ? "bg-good" : connection === "lost" ? "bg-danger" : "border border-rule-strong";
  return (
    <span
      className={`num inline-flex items-center gap-1.5 font-mono text-[0.8rem] ${connection === "lost" ? "text-danger" : "text-muted"}`}
      role="status"
      data-testid="connection"
      data-connection={connection}
    >
      <span className={`inline-block h-2 w-2 rounded-full ${dot}`} aria-hidden="true" />
      <span>{words[connection]}</span>
      {updatedAt ? (
        <span aria-hidden="true">
          · updated <Moment at={updatedAt} />
        </span>
      ) : null}
    </span>
  );
}
