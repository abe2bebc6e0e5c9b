"use client";
/** One row of an expression: attribute, operator, value; and a group of rows, which may hold groups. */
import { Plus, X } from "lucide-react";
import { useId } from "react";
import { Button } from "@/components/ui/button";
import { knownAttribute } from "@/core/engine/known-attributes";
import {
  type Join,
  type Row,
  type RowOperator,
  type Rows,
  rowOperators,
  rowProblem,
  typedValue,
} from "@/core/expressions/form/rows";
import { addedAt, changedAt, emptyRow, type Path } from "./rows-draft";

const operatorNames: Record<RowOperator, string> = {
  "==": "is",
  "!=": "is not",
  "<": "<",
  "<=": "≤",
  ">": ">",
  ">=": "≥",
  "=?=": "exactly",
  "=!=": "not exactly",
  matches: "matches",
  among: "one of",
};
const joinNames: Record<Join, string> = { all: "All of these", any: "Any of these", none: "None of these" };
const control = "h-8 min-w-0 rounded-md border border-rule-strong bg-surface px-2 text-[0.88rem] disabled:bg-sunken";

interface Editing {
  rows: Rows;
  disabled: boolean;
  onChange: (rows: Rows) => void;
}

export function RowGroup({ group, path, editing }: { group: Rows; path: Path; editing: Editing }) {
  const { rows, disabled, onChange } = editing;
  const nested = path.length > 0;
  return (
    <fieldset className={`grid min-w-0 gap-1.5 ${nested ? "border-l-2 border-rule-strong pl-3" : ""}`}>
      <legend className="sr-only">{joinNames[group.join]}</legend>
      {group.items.length > 1 || nested || group.join !== "all" ? (
        <div className="flex items-center gap-2">
          <select
            aria-label="How the rows are joined"
            className={control}
            value={group.join}
            disabled={disabled}
            onChange={(event) => {
              const join = (["all", "any", "none"] as const).find((one) => one === event.target.value) ?? "all";
              onChange(changedAt(rows, path, (item) => (item.is === "rows" ? { ...item, join } : item)));
            }}
          >
            {Object.entries(joinNames).map(([join, name]) => (
              <option key={join} value={join}>
                {name}
              </option>
            ))}
          </select>
          {nested ? <Remove what="this group" path={path} editing={editing} /> : null}
        </div>
      ) : null}
      {group.items.map((item, index) => {
        const at = [...path, index];
        // Rows have no identity but their place.
        const key = at.join(".");
        return item.is === "rows" ? (
          <RowGroup key={key} group={item} path={at} editing={editing} />
        ) : (
          <RowFields key={key} row={item} path={at} editing={editing} />
        );
      })}
      <div className="flex flex-wrap gap-2">
        <Button disabled={disabled} onClick={() => onChange(addedAt(rows, path, emptyRow))}>
          <Plus size={14} aria-hidden /> Row
        </Button>
        {path.length < 3 && group.items.length > 0 ? (
          <Button
            disabled={disabled}
            onClick={() => {
              const join = group.join === "any" ? "all" : "any";
              onChange(addedAt(rows, path, { is: "rows", join, items: [emptyRow] }));
            }}
          >
            <Plus size={14} aria-hidden /> Group
          </Button>
        ) : null}
      </div>
    </fieldset>
  );
}

function RowFields({ row, path, editing }: { row: Row; path: Path; editing: Editing }) {
  const { rows, disabled, onChange } = editing;
  const id = useId();
  const known = knownAttribute(row.attribute);
  const problem = row.attribute === "" && row.value.text === "" ? undefined : rowProblem(row);
  const set = (change: Partial<Row>) =>
    onChange(changedAt(rows, path, (item) => (item.is === "row" ? { ...item, ...change } : item)));
  const wanted = known?.is === "text" || row.operator === "matches" || row.operator === "among" ? "text" : undefined;
  return (
    <div>
      <div className="grid grid-cols-[minmax(5rem,1.2fr)_5.5rem_minmax(3.5rem,1fr)_auto] items-center gap-1.5">
        <input
          aria-label="Attribute"
          list="known-attributes"
          className={`${control} font-mono`}
          value={row.attribute}
          disabled={disabled}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={known ? `${id}-about` : undefined}
          aria-invalid={problem ? true : undefined}
          onChange={(event) => {
            const attribute = event.target.value;
            const is = knownAttribute(attribute)?.is;
            set({ attribute, value: typedValue(row.value.text, is === "text" ? "text" : undefined) });
          }}
        />
        <select
          aria-label="Operator"
          className={control}
          value={row.operator}
          disabled={disabled}
          onChange={(event) => {
            const operator = rowOperators.find((one) => one === event.target.value) ?? "==";
            const text = operator === "matches" || operator === "among" || known?.is === "text" ? "text" : undefined;
            set({ operator, value: typedValue(row.value.text, text) });
          }}
        >
          {rowOperators.map((operator) => (
            <option key={operator} value={operator}>
              {operatorNames[operator]}
            </option>
          ))}
        </select>
        <span className="flex min-w-0 items-center gap-1.5">
          <input
            aria-label="Value"
            className={`${control} w-full font-mono`}
            value={row.value.text}
            disabled={disabled}
            autoComplete="off"
            spellCheck={false}
            list={known?.values ? `${id}-values` : undefined}
            aria-invalid={problem ? true : undefined}
            onChange={(event) => set({ value: typedValue(event.target.value, wanted) })}
          />
          {known?.unit ? <span className="shrink-0 text-[0.8rem] text-muted">{known.unit}</span> : null}
          {known?.values ? (
            <datalist id={`${id}-values`}>
              {known.values.map((value) => (
                <option key={value} value={value} />
              ))}
            </datalist>
          ) : null}
        </span>
        <Remove what={row.attribute === "" ? "this row" : row.attribute} path={path} editing={editing} />
      </div>
      {known ? (
        <p id={`${id}-about`} className="text-[0.8rem] text-faint">
          {known.about}
        </p>
      ) : null}
      {problem ? <p className="text-[0.83rem] text-danger">{problem}</p> : null}
    </div>
  );
}

function Remove({ what, path, editing }: { what: string; path: Path; editing: Editing }) {
  return (
    <Button
      rank="quiet"
      className="px-1.5"
      aria-label={`Remove ${what}`}
      disabled={editing.disabled}
      onClick={() => editing.onChange(changedAt(editing.rows, path, () => undefined))}
    >
      <X size={14} aria-hidden />
    </Button>
  );
}
