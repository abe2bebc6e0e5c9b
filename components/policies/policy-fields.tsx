"use client";
/**
 * The fields for a run's policies (GB-2): one each, with a sentence on what it does and, as one types, what is wrong and
 * where. What decides on hosts stands beside the hosts it lets in.
 */
import { useMemo } from "react";
import { ExpressionForm } from "@/components/expression-form/expression-form";
import { ExpressionText } from "@/components/expression-form/expression-text";
import { HostPanel } from "@/components/expression-form/host-panel";
import { Field } from "@/components/ui/field";
import { rankPresets } from "@/core/engine/known-attributes";
import { type ExpressionPolicy, policyNames } from "@/core/engine/policy";
import { type Criterion, criteria } from "@/core/engine/preference";
import { type FieldProblems, type PolicyDraft, type PolicyField, weightFields } from "./policy-draft";

interface ExpressionField {
  name: ExpressionPolicy;
  about: string;
  example: string;
}

/** These decide which hosts there are, in which order. */
const hostFields: readonly ExpressionField[] = [
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
];

const expressionFields: readonly ExpressionField[] = [
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
  const { jobRequirements, gridPolicy, rank } = draft;
  const terms = useMemo(
    () => ({ requirements: [jobRequirements, gridPolicy], rank }),
    [jobRequirements, gridPolicy, rank],
  );
  const formOf = ({ name, about, example }: ExpressionField) => ({
    id: `policy-${name}`,
    label: policyNames[name],
    about,
    example,
    text: draft[name],
    problem: problems[name],
    disabled,
    onChange: set(name),
  });
  return (
    <div className="@container grid gap-5">
      <div className="grid content-start gap-x-6 gap-y-4 @2xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 content-start gap-4">
          {hostFields.map((field) =>
            field.name === "rank" ? (
              <ExpressionText key={field.name} {...formOf(field)}>
                <RankPresets text={rank} disabled={disabled} onChange={set("rank")} />
              </ExpressionText>
            ) : (
              <ExpressionForm key={field.name} {...formOf(field)} />
            ),
          )}
        </div>
        <HostPanel terms={terms} />
      </div>
      <div className="grid content-start gap-x-6 gap-y-4 @md:grid-cols-2">
        {expressionFields.map((field) => (
          <ExpressionText key={field.name} {...formOf(field)} />
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
        <div className="grid grid-cols-2 gap-x-6 gap-y-3 @2xl:grid-cols-4">
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

/** Ranks people ask for most; choosing one writes it into the field, where it can be changed. */
function RankPresets({
  text,
  disabled,
  onChange,
}: {
  text: string;
  disabled: boolean;
  onChange: (text: string) => void;
}) {
  const chosen = rankPresets.find(({ expression }) => expression === text.trim());
  return (
    <select
      aria-label="Usual ranks"
      data-testid="rank-presets"
      className="h-8 w-fit max-w-full rounded-md border border-rule-strong bg-surface px-2 text-[0.88rem]"
      value={chosen?.name ?? "own"}
      disabled={disabled}
      onChange={(event) => {
        const preset = rankPresets.find(({ name }) => name === event.target.value);
        if (preset) onChange(preset.expression);
      }}
    >
      {chosen ? null : <option value="own">As written below</option>}
      {rankPresets.map(({ name, label }) => (
        <option key={name} value={name}>
          {label}
        </option>
      ))}
    </select>
  );
}
