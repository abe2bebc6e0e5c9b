/** A command that was run on a cluster, with what it answered (DI-11). */
import { duration } from "@/components/ui/format";
import type { RanCommand } from "@/server/clusters/command-runner";

/** What scrolls must be reached by keyboard. */
const tabStop = { tabIndex: 0 };

export function CommandBlock({
  command: { command, exitCode, stdout, stderr, durationMs },
}: {
  command: Pick<RanCommand, "command" | "exitCode" | "stdout" | "stderr" | "durationMs">;
}) {
  return (
    <div className="min-w-0 border bg-surface font-mono text-[0.8rem]">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 px-2.5 py-1.5">
        <code className="min-w-0 break-words">
          <span aria-hidden="true" className="select-none text-faint">
            ${" "}
          </span>
          {command.map(shown).join(" ")}
        </code>
        <span className={`num shrink-0 ${exitCode === 0 ? "text-faint" : "text-danger"}`}>
          {exitCode === null ? "no exit code" : `exit ${exitCode}`}, {duration(durationMs)}
        </span>
      </p>
      <Output label="Standard output" text={stdout} />
      <Output label="Standard error" text={stderr} tone="text-danger" />
    </div>
  );
}

function Output({ label, text, tone = "" }: { label: string; text: string; tone?: string }) {
  if (text.trim() === "") return null;
  return (
    <section {...tabStop} aria-label={label} className="max-h-56 overflow-auto border-t bg-sunken px-2.5 py-1.5">
      <pre className={`whitespace-pre-wrap break-words ${tone}`}>{text.trimEnd()}</pre>
    </section>
  );
}

/** A word with anything a shell would look at is shown in quotes. */
function shown(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
