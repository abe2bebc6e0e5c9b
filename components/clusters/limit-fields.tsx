"use client";
/** What agents ask of the cluster, how many there may be, how far it is, and how the portal and its nodes reach each other. */
import { Field } from "@/components/ui/field";
import { SelectField } from "@/components/ui/select-field";
import { Part } from "./cluster-form-part";
import type { ClusterDraft, DraftField, Problems } from "./form-draft";

type TextField = {
  [Name in DraftField]: ClusterDraft[Name] extends string ? (string extends ClusterDraft[Name] ? Name : never) : never;
}[DraftField];

export function LimitFields({
  draft,
  problems,
  onChange,
}: {
  draft: ClusterDraft;
  problems: Problems<DraftField>;
  onChange: (change: Partial<ClusterDraft>) => void;
}) {
  const field = (name: TextField, label: string, hint?: string, mode: "numeric" | "decimal" | "text" = "numeric") => (
    <Field
      id={name}
      label={label}
      {...(hint && { hint })}
      inputMode={mode}
      autoComplete="off"
      spellCheck={false}
      value={draft[name]}
      error={problems[name]}
      onChange={(event) => onChange({ [name]: event.target.value })}
    />
  );
  const tick = (name: "failOver" | "minimalAgent", label: string, hint: string) => (
    <label className="flex items-start gap-2 text-[0.9rem]">
      <input
        type="checkbox"
        className="mt-1"
        checked={draft[name]}
        onChange={(event) => onChange({ [name]: event.target.checked })}
      />
      <span>
        <span className="font-medium">{label}</span> <span className="text-muted">{hint}</span>
      </span>
    </label>
  );
  return (
    <>
      <Part title="Agents and limits">
        <div className="grid grid-cols-2 items-start gap-x-6 gap-y-4 sm:grid-cols-3">
          {field("slotsPerAgent", "Slots of an agent", "Tasks at a time: the cores its job asks for.")}
          {field("memoryGb", "Memory of an agent, GB", "Empty: not asked for.", "decimal")}
          {field("wallHours", "Time limit, hours", "Of an agent's job.", "decimal")}
          {field("maxAgents", "Agents at most", "Alive or on the way.")}
          {field("maxQueued", "Waiting jobs at most", "In the cluster's queue.")}
          {field("perMinute", "Submissions a minute")}
        </div>
      </Part>
      <details className="group border-t pt-2">
        <summary className="w-fit font-semibold">Distance, reach, directories</summary>
        <div className="mt-3 grid gap-4">
          <div className="grid items-start gap-x-6 gap-y-4 sm:grid-cols-2">
            <SelectField
              id="distance"
              label="Distance"
              value={distances.find(({ value }) => value === draft.distance)?.value ?? "0"}
              options={distances}
              hint="Nearer clusters are preferred where no Rank says otherwise."
              onChange={(distance) => onChange({ distance })}
            />
            {field("linkMbps", "Link capacity, Mbit/s", "Empty: unknown.", "decimal")}
            {field("pollSeconds", "Ask for its jobs every, seconds", undefined, "decimal")}
            {field("idleSeconds", "An idle agent ends after, seconds")}
            {field("workDirectory", "Working directory", "Empty: below the account's home.", "text")}
            {draft.where === "there" ? (
              <SelectField
                id="reach"
                label="Its nodes reach the portal"
                value={draft.reach}
                options={[
                  { value: "direct", label: "directly" },
                  { value: "tunnel", label: "through the SSH connection to the front end" },
                ]}
                error={problems.reach}
                onChange={(reach) => onChange({ reach })}
              />
            ) : null}
            {field("gatewayUrl", "The portal's address there", "Empty: its public address.", "text")}
          </div>
          {draft.driver === "gridengine" ? (
            <div className="grid items-start gap-x-6 gap-y-4 sm:grid-cols-2">
              {field("oneHost", "Parallel environment for one host", "Empty: smp.", "text")}
              {field("manyHosts", "Parallel environment for MPI", "Empty: mpi.", "text")}
            </div>
          ) : null}
          {draft.driver === "ssh" ? null : (
            <Variables
              value={draft.environment}
              problem={problems.environment}
              onChange={(environment) => onChange({ environment })}
            />
          )}
          {tick("failOver", "Only as a refuge.", "Takes only tasks that failed again and again elsewhere.")}
          {tick("minimalAgent", "Minimal agent.", "For hosts without Node: one task, in sh and curl alone.")}
        </div>
      </details>
    </>
  );
}

function Variables({
  value,
  problem,
  onChange,
}: {
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <div className="grid gap-1">
      <label htmlFor="environment" className="text-[0.9rem] font-medium">
        Variables for the scheduler's commands
      </label>
      <textarea
        id="environment"
        rows={Math.min(8, Math.max(2, value.split("\n").length))}
        value={value}
        spellCheck={false}
        autoComplete="off"
        placeholder="SLURM_CONF=/etc/slurm/slurm.conf"
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? "environment-hint environment-error" : "environment-hint"}
        onChange={(event) => onChange(event.target.value)}
        className={`resize-y rounded-md border bg-surface px-2.5 py-1.5 font-mono text-[0.85rem] ${problem ? "border-danger" : "border-rule-strong"}`}
      />
      <p id="environment-hint" className="text-[0.83rem] text-faint">
        A line each, NAME=value, where a login there does not set them.
      </p>
      {problem ? (
        <p id="environment-error" role="alert" className="text-[0.87rem] text-danger">
          {problem}
        </p>
      ) : null}
    </div>
  );
}

const distances = [
  { value: "0", label: "The same site" },
  { value: "1", label: "The region" },
  { value: "2", label: "Farther away" },
];
