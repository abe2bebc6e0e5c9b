/** A labelled field with its explanation and its error beside it, tied together for screen readers. */
import type { ComponentProps } from "react";

export function Field({
  label,
  hint,
  error,
  id,
  ...input
}: ComponentProps<"input"> & { label: string; hint?: string; error?: string; id: string }) {
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return (
    <div className="grid min-w-0 content-start gap-1">
      <label htmlFor={id} className="text-[0.9rem] font-medium">
        {label}
      </label>
      <input
        {...input}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={described || undefined}
        className={`h-9 w-full min-w-0 rounded-md border bg-surface px-2.5 ${error ? "border-danger" : "border-rule-strong"}`}
      />
      {hint ? (
        <p id={`${id}-hint`} className="text-[0.83rem] text-faint">
          {hint}
        </p>
      ) : null}
      {error ? (
        <p id={`${id}-error`} role="alert" className="text-[0.87rem] text-danger" data-testid={`${id}-error`}>
          {error}
        </p>
      ) : null}
    </div>
  );
}
