/** A short statement set apart: something went wrong, something to know. Said with an icon and a rule, not colour alone. */
import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

const kinds = {
  info: { icon: Info, tone: "border-rule-strong text-ink" },
  caution: { icon: TriangleAlert, tone: "border-caution text-ink" },
  danger: { icon: CircleAlert, tone: "border-danger text-ink" },
};

export function Notice({
  kind = "info",
  children,
  testId,
}: {
  kind?: keyof typeof kinds;
  children: ReactNode;
  testId?: string;
}) {
  const { icon: Icon, tone } = kinds[kind];
  const ink = kind === "danger" ? "text-danger" : kind === "caution" ? "text-caution" : "text-muted";
  return (
    <div
      role={kind === "danger" ? "alert" : "status"}
      data-testid={testId}
      className={`flex gap-2.5 border-l-2 bg-surface py-2 pl-3 pr-3 text-[0.93rem] ${tone}`}
    >
      <Icon size={16} className={`mt-0.5 shrink-0 ${ink}`} aria-hidden="true" />
      <div className="min-w-0">{children}</div>
    </div>
  );
}

/** What to do next where there is nothing yet. */
export function Empty({ children }: { children: ReactNode }) {
  return <p className="border border-dashed border-rule px-4 py-5 text-muted">{children}</p>;
}
