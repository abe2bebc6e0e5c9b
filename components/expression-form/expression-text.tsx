"use client";
/** An expression as text, with a sentence on what it does and, as one types, what is wrong and where. */
import type { ReactNode } from "react";
import type { ExpressionFormProps } from "./expression-form";

/** About as many letters as fit; a longer line takes another. */
const lineLength = 34;

export function ExpressionText({
  id,
  label,
  about,
  example,
  text,
  problem,
  disabled,
  onChange,
  children,
}: ExpressionFormProps & { children?: ReactNode }) {
  return (
    <div className="grid min-w-0 content-start gap-1">
      <label htmlFor={id} className="text-[0.9rem] font-medium">
        {label}
      </label>
      {children}
      <textarea
        id={id}
        data-testid={id}
        value={text}
        rows={Math.min(
          8,
          text.split("\n").reduce((lines, line) => lines + 1 + Math.floor(line.length / lineLength), 0),
        )}
        disabled={disabled}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? `${id}-hint ${id}-error` : `${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
        className={`min-h-9 resize-y rounded-md border bg-surface px-2.5 py-1.5 font-mono text-[0.85rem] disabled:bg-sunken disabled:text-muted ${problem ? "border-danger" : "border-rule-strong"}`}
      />
      <p id={`${id}-hint`} className="text-[0.83rem] text-faint">
        {about} For example <code className="whitespace-nowrap font-mono text-[0.8rem]">{example}</code>
      </p>
      {problem ? (
        <p id={`${id}-error`} role="alert" className="text-[0.87rem] text-danger" data-testid={`${id}-error`}>
          {problem}
        </p>
      ) : null}
    </div>
  );
}
