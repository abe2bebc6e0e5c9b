/** Buttons and links that look like buttons: one height, three ranks (primary, plain, danger). */
import Link from "next/link";
import type { ComponentProps, ReactNode } from "react";

type Rank = "primary" | "plain" | "danger" | "quiet";

const base =
  "inline-flex items-center justify-center gap-1.5 whitespace-nowrap rounded-md text-[0.9rem] font-medium h-8 px-3 border transition-colors select-none disabled:cursor-not-allowed aria-disabled:cursor-not-allowed";

const ranks: Record<Rank, string> = {
  primary:
    "bg-ink text-paper border-ink hover:bg-ink/85 disabled:bg-sunken disabled:text-faint disabled:border-rule aria-disabled:bg-sunken aria-disabled:text-faint aria-disabled:border-rule",
  plain:
    "bg-surface border-rule-strong/60 hover:border-ink disabled:text-faint disabled:border-rule aria-disabled:text-faint aria-disabled:border-rule",
  danger:
    "bg-surface text-danger border-danger/60 hover:bg-danger hover:text-paper disabled:text-faint disabled:border-rule",
  quiet: "border-transparent hover:bg-sunken",
};

export function buttonClass(rank: Rank = "plain", extra = ""): string {
  return `${base} ${ranks[rank]} ${extra}`;
}

export function Button({
  rank = "plain",
  busy = false,
  className = "",
  children,
  ...rest
}: ComponentProps<"button"> & { rank?: Rank; busy?: boolean; children: ReactNode }) {
  return (
    <button type="button" {...rest} aria-busy={busy || undefined} className={buttonClass(rank, className)}>
      {busy ? <Spinner /> : null}
      {children}
    </button>
  );
}

export function ButtonLink({ rank = "plain", className = "", ...rest }: ComponentProps<typeof Link> & { rank?: Rank }) {
  return <Link {...rest} className={buttonClass(rank, className)} />;
}

export function Spinner() {
  return (
    <svg width="13" height="13" viewBox="0 0 16 16" className="animate-spin" aria-hidden="true">
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeOpacity="0.3" strokeWidth="2.4" />
      <path d="M14 8a6 6 0 0 0-6-6" fill="none" stroke="currentColor" strokeWidth="2.4" />
    </svg>
  );
}
