"use client";
/** Several of the files that were brought could be the workflow: which one is it? */
import { Button } from "@/components/ui/button";
import type { Choice } from "./dropped-files";
import type { Question } from "./use-draft";

const shown = 12;

export function WorkflowQuestion({ question, onAnswer }: { question: Question; onAnswer: (choice: Choice) => void }) {
  const { candidates } = question;
  return (
    <section
      aria-labelledby="which-workflow"
      className="grid gap-2 border-l-2 border-caution bg-surface px-3 py-2.5"
      data-testid="workflow-question"
    >
      <h2 id="which-workflow" role="status">
        Which of these files is the workflow? The others are kept with it.
      </h2>
      <div className="flex flex-wrap gap-2">
        {candidates.slice(0, shown).map(({ name, title }) => (
          <Button key={name} onClick={() => onAnswer({ workflow: name })}>
            <span className="font-mono text-[0.85rem]">{name}</span>
            <span className="font-normal text-muted">{title}</span>
          </Button>
        ))}
        <Button rank="quiet" onClick={() => onAnswer({ workflow: undefined })}>
          None: they are input files
        </Button>
      </div>
      {candidates.length > shown ? (
        <p className="text-[0.88rem] text-muted">
          And {candidates.length - shown} more. Drop fewer files if it is none of these.
        </p>
      ) : null}
    </section>
  );
}
