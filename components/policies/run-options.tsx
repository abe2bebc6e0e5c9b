"use client";
/** The editor's Options: how the next run is to go. Closed until somebody wants them; the closed line says what is set. */
import { Field } from "@/components/ui/field";
import { counted } from "@/components/ui/format";
import { type ClusteringAlgorithm, clusteringAlgorithms } from "@/core/workflow/clustering";
import type { OptionsDraft, OptionsRead } from "./options-draft";
import { PolicyFields } from "./policy-fields";

const algorithms: Record<ClusteringAlgorithm, string> = {
  none: "None: each task by itself",
  blocks: "Blocks of independent tasks",
  phases: "Phases, level by level",
  pipeline: "Pipelines, each as a whole",
  dsc: "Dominant sequences (DSC)",
  auto: "By the class of the graph",
};

export function RunOptions({
  draft,
  read,
  onChange,
}: {
  draft: OptionsDraft;
  read: OptionsRead;
  onChange: (draft: OptionsDraft) => void;
}) {
  const field = (name: "priority" | "retries" | "granularity", label: string, hint: string) => (
    <Field
      id={`option-${name}`}
      label={label}
      hint={hint}
      inputMode="numeric"
      value={draft[name]}
      error={read.problems[name]}
      disabled={name === "granularity" && draft.algorithm === "none"}
      onChange={(event) => onChange({ ...draft, [name]: event.target.value })}
    />
  );
  return (
    <details className="border bg-surface" data-testid="run-options">
      <summary className="cursor-pointer px-3 py-1.5">
        <h2 className="inline">
          Options{" "}
          <span className="num font-normal text-muted">
            {read.set === 0 ? "as usual" : `${counted(read.set, "option")} set`}
          </span>
        </h2>
      </summary>
      <div className="grid gap-4 border-t p-3">
        <p className="text-[0.88rem] text-muted">
          For the runs started from this page; they are not stored with the workflow. The policies can be changed while
          a run goes on.
        </p>
        <div className="grid content-start gap-x-6 gap-y-4 md:grid-cols-2">
          {field(
            "priority",
            "Priority",
            "Which of your own runs goes first: from −20 to 20, the higher the sooner; 0 if empty.",
          )}
          {field("retries", "Retries", "How often a failed task is tried again; once if empty.")}
          <div className="grid content-start gap-1">
            <label htmlFor="option-algorithm" className="text-[0.9rem] font-medium">
              Clustering
            </label>
            <select
              id="option-algorithm"
              value={draft.algorithm}
              onChange={(event) => {
                const algorithm = clusteringAlgorithms.find((name) => name === event.target.value) ?? "none";
                onChange({ ...draft, algorithm });
              }}
              aria-describedby="option-algorithm-hint"
              className="h-9 rounded-md border border-rule-strong bg-surface px-2"
            >
              {clusteringAlgorithms.map((name) => (
                <option key={name} value={name}>
                  {algorithms[name]}
                </option>
              ))}
            </select>
            <p id="option-algorithm-hint" className="text-[0.83rem] text-faint">
              Which tasks go to a host together, to save the way for short ones.
            </p>
          </div>
          {field("granularity", "Granularity", "The most tasks that go together; chosen by the clustering if empty.")}
        </div>
        <h3 className="label-caps">Policies</h3>
        <PolicyFields
          draft={draft.policies}
          problems={read.policyProblems}
          onChange={(policies) => onChange({ ...draft, policies })}
        />
      </div>
    </details>
  );
}
