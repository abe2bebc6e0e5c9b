"use client";
/** The steps of a test, each with what was found and the commands it ran. */
import { Check, Minus, X } from "lucide-react";
import { Spinner } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import type { TestView } from "@/server/api/clusters/views";
import type { ProbeStep } from "@/server/clusters/driver";
import { CommandBlock } from "./command-block";
import type { RunningTest } from "./use-test";
import { stepNames, stepWords } from "./words";

type StepState = "ok" | "failed" | "running" | "waiting" | "left-out";

const stateWords: Record<StepState, string> = {
  ok: "went well",
  failed: "failed",
  running: "under way",
  waiting: "to come",
  "left-out": "not tried",
};

export function TestSteps({ test }: { test: RunningTest }) {
  const { view, running, problem } = test;
  if (problem !== undefined) {
    return (
      <Notice kind="danger" testId="test-problem">
        {problem}
      </Notice>
    );
  }
  if (!view && !running) return null;
  const steps = view?.steps ?? [];
  const next = stepNames.find((name) => !steps.some((step) => step.step === name));
  const stateOfStep = (name: ProbeStep["step"], found: ProbeStep | undefined): StepState => {
    if (found) return found.ok ? "ok" : "failed";
    if (!running) return "left-out";
    return name === next ? "running" : "waiting";
  };
  return (
    <section aria-label="Test" className="grid gap-3" data-testid="test" data-ok={view?.ok ?? "running"}>
      <p role="status" className="sr-only">
        {summary(view, running)}
      </p>
      <ol className="grid border-y">
        {stepNames.map((name) => {
          const found = steps.find((step) => step.step === name);
          return <Step key={name} name={name} found={found} state={stateOfStep(name, found)} />;
        })}
      </ol>
      {view?.sentence ? <Notice kind="danger">{view.sentence}</Notice> : null}
      {view?.hostKey ? <HostKey hostKey={view.hostKey} /> : null}
    </section>
  );
}

function summary(view: TestView | undefined, running: boolean): string {
  if (running) return "The test is under way.";
  if (view?.ok) return "The test went well.";
  return view?.sentence ?? view?.steps.find((step) => !step.ok)?.sentence ?? "The test did not go well.";
}

const icons = {
  ok: <Check size={16} strokeWidth={2.6} className="text-good" aria-hidden="true" />,
  failed: <X size={16} strokeWidth={2.6} className="text-danger" aria-hidden="true" />,
  running: <Spinner />,
  waiting: <span className="block h-2 w-2 rounded-full border border-rule-strong" aria-hidden="true" />,
  "left-out": <Minus size={14} className="text-faint" aria-hidden="true" />,
};

function Step({ name, found, state }: { name: ProbeStep["step"]; found: ProbeStep | undefined; state: StepState }) {
  const quiet = state === "waiting" || state === "left-out";
  return (
    <li
      className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-1 border-b py-2 last:border-b-0"
      data-testid={`step-${name}`}
      data-state={state}
    >
      <span className="grid h-[1.4rem] w-4 place-items-center">{icons[state]}</span>
      <div className="grid min-w-0 gap-1">
        <p className={`font-medium ${quiet ? "text-faint" : ""}`}>
          {stepWords[name]} <span className="sr-only">: {stateWords[state]}</span>
        </p>
        {found ? <p className={`text-[0.93rem] ${found.ok ? "text-muted" : "text-danger"}`}>{found.sentence}</p> : null}
        {found && found.commands.length > 0 ? (
          <details className="text-[0.88rem]" open={!found.ok}>
            <summary className="w-fit text-muted hover:text-ink">
              {found.commands.length === 1 ? "1 command" : `${found.commands.length} commands`}
            </summary>
            <div className="mt-1.5 grid gap-2">
              {found.commands.map((command) => (
                <CommandBlock key={`${command.at} ${command.command.join(" ")}`} command={command} />
              ))}
            </div>
          </details>
        ) : null}
      </div>
    </li>
  );
}

export function HostKey({ hostKey }: { hostKey: { fingerprint: string; known: boolean } }) {
  return (
    <div className="grid gap-0.5 text-[0.93rem]" data-testid="host-key">
      <p>
        <span className="font-medium">Host key</span>{" "}
        <code className="break-all font-mono text-[0.85rem]">{hostKey.fingerprint}</code>
      </p>
      <p className="text-muted">
        {hostKey.known
          ? "The same as before: another is refused."
          : "Shown by the host for the first time. Compare it with what its administrators publish: it is stored with the cluster, and from then on another is refused."}
      </p>
    </div>
  );
}
