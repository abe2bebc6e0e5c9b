/** A titled part of a long form. */
import type { ReactNode } from "react";

export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="grid gap-3">
      <h2 className="border-b pb-1">{title}</h2>
      {children}
    </section>
  );
}
