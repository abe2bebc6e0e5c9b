"use client";
/** The fields for a run's policies (GB-2): one each, with a sentence on what it does and, as one types, what is wrong and where. */
import { Field } from "@/components/ui/field";
import { type ExpressionPolicy, policyNames } from "@/core/engine/policy";
import { type Criterion, criteria } from "@/core/engine/preference";
import { type FieldProblems, type PolicyDraft, type PolicyField, weightFields } from "./policy-draft";

interface ExpressionField {
  name: ExpressionPolicy;
  about: string;
  example: string;
}

const expressionFields: readonly ExpressionField[] = [
  {
    name: "jobRequirements",
    about: "On which hosts its tasks may run.",
    example: "Memory >= 2048 && ErrorRate < 0.2",
  },
  { name: "gridPolicy", about: "Which clusters may be used at all.", example: 'Grid == "local"' },
  {
    name: "rank",
    about: "Which host a task prefers, and which run a host works for first: the higher, the sooner.",
    example: "Cpus - 10 * ErrorRate",
  },
  {
    name: "concurrency",
    about: "The most tasks a host may hold at a time, running and fetched ahead.",
    example: "2 * NumCpus",
  },
  {
    name: "deadline",
    about: "Seconds after which an attempt counts as lost and its task is placed again.",
    example: "3600",
  },
  {
    name: "replicationRequirements",
    about: "Whether a task under way may get another attempt on another host, once the tail has begun.",
    example: "Tail && NumberOfReplicas < 2",
  },
];

const weightLabels: Record<Criterion, string> = {
  distance: "Distance",
  capacity: "Link capacity",
  cpu: "CPU",
  memory: "Memory",
};

export function PolicyFields({
  draft,
  problems,
  disabled = false,
  onChange,
}: {
  draft: PolicyDraft;
  problems: FieldProblems;
  disabled?: boolean;
  onChange: (draft: PolicyDraft) => void;
}) {
  const set = (field: PolicyField) => (value: string) => onChange({ ...draft, [field]: value });
  const number = (field: "maxReplicas" | "tailBelow", label: string, hint: string) => (
    <Field
      id={`policy-${field}`}
      label={label}
      hint={hint}
      inputMode="numeric"
      value={draft[field]}
      error={problems[field]}
      disabled={disabled}
      onChange={(event) => set(field)(event.target.value)}
    />
  );
  return (
    <div className="grid gap-5">
      <div className="grid content-start gap-x-6 gap-y-4 md:grid-cols-2">
        {expressionFields.map((field) => (
          <Expression
            key={field.name}
            field={field}
            text={draft[field.name]}
            problem={problems[field.name]}
            disabled={disabled}
            onChange={set(field.name)}
          />
        ))}
        {number(
          "maxReplicas",
          "MaxReplicas",
          "The most attempts at one task at a time, the first included; 3 if empty.",
        )}
        {number("tailBelow", "TailBelow", "The tail begins when fewer tasks than this are unsent; 1500 if empty.")}
      </div>
      <label className="flex items-start gap-2 text-[0.9rem]">
        <input
          type="checkbox"
          className="mt-1"
          checked={draft.latchTail !== ""}
          disabled={disabled}
          onChange={(event) => set("latchTail")(event.target.checked ? "yes" : "")}
        />
        <span>
          <span className="font-medium">LatchTail</span>{" "}
          <span className="text-muted">Once begun, the tail goes on, even if failures make tasks unsent again.</span>
        </span>
      </label>
      <fieldset className="grid gap-2">
        <legend className="text-[0.9rem] font-medium">Weights</legend>
        <p className="mb-1 text-[0.83rem] text-faint">
          How much each counts where no Rank says which host is better; all alike if empty.
        </p>
        <div className="grid grid-cols-2 gap-x-6 gap-y-3 md:grid-cols-4">
          {criteria.map((criterion) => {
            const field = weightFields[criterion];
            return (
              <Field
                key={field}
                id={`policy-${field}`}
                label={weightLabels[criterion]}
                inputMode="decimal"
                value={draft[field]}
                error={problems[field]}
                disabled={disabled}
                onChange={(event) => set(field)(event.target.value)}
              />
            );
          })}
        </div>
      </fieldset>
    </div>
  );
}

function Expression({
  field: { name, about, example },
  text,
  problem,
  disabled,
  onChange,
}: {
  field: ExpressionField;
  text: string;
  problem: string | undefined;
  disabled: boolean;
  onChange: (text: string) => void;
}) {
  const id = `policy-${name}`;
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="text-[0.9rem] font-medium">
        {policyNames[name]}
      </label>
      <textarea
        id={id}
        data-testid={id}
        value={text}
        rows={Math.min(8, Math.max(1, text.split("\n").length))}
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
