"use client";
/** A requirement in a form (PO-5): rows on top, the expression below, each following the other. */
import { useState } from "react";
import { knownAttributes } from "@/core/engine/known-attributes";
import { ExpressionText } from "./expression-text";
import { RowGroup } from "./row-fields";
import { draftFrom, type RowsDraft, rowsFor } from "./rows-draft";

export interface ExpressionFormProps {
  id: string;
  label: string;
  about: string;
  example: string;
  text: string;
  problem: string | undefined;
  disabled: boolean;
  onChange: (text: string) => void;
}

export function ExpressionForm(props: ExpressionFormProps) {
  const { text, disabled, onChange } = props;
  const [draft, setDraft] = useState<RowsDraft>();
  const shown = rowsFor(text, draft);
  return (
    <div className="grid min-w-0 content-start gap-2">
      <ExpressionText {...props}>
        {shown.is === "rows" ? (
          <section aria-label="Row by row" data-testid={`${props.id}-rows`}>
            <RowGroup
              group={shown.rows}
              path={[]}
              editing={{
                rows: shown.rows,
                disabled,
                onChange: (rows) => {
                  const next = draftFrom(rows);
                  setDraft(next);
                  if (next.text !== text) onChange(next.text);
                },
              }}
            />
          </section>
        ) : (
          <p className="text-[0.85rem] text-muted" data-testid={`${props.id}-text-only`}>
            {shown.because === "too-rich"
              ? "This says more than rows can, so it is shown as text only."
              : "Rows are shown again when the text can be read."}
          </p>
        )}
      </ExpressionText>
      <datalist id="known-attributes">
        {knownAttributes.map(({ name, about }) => (
          <option key={name} value={name}>
            {about}
          </option>
        ))}
      </datalist>
    </div>
  );
}
