"use client";
/** What to look for, and by what. A plain form: Enter searches, and the answer has an address of its own. */
import { Search } from "lucide-react";
import { stateLooks } from "@/components/graph/state-look";
import { Button } from "@/components/ui/button";
import { taskStateNames } from "@/core/engine/task-state";
import { type Kind, kinds, type Question } from "./question";

const labels: Record<Kind, string> = { task: "Task", file: "File", host: "Machine", run: "Run" };

const control = "h-9 rounded-md border border-rule-strong bg-surface px-2.5";

export function SearchForm({ question, admin }: { question: Question | undefined; admin: boolean }) {
  return (
    <search>
      <form
        action="/directory"
        className="flex flex-wrap items-center gap-2"
        // A new address starts from what it says, not from what was typed before.
        key={JSON.stringify(question)}
        data-testid="directory-form"
      >
        <select name="by" aria-label="Look for" defaultValue={question?.by ?? "task"} className={control}>
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {labels[kind]}
            </option>
          ))}
        </select>
        <input
          type="search"
          name="for"
          aria-label="Name, number or id"
          placeholder="Name, number or id"
          defaultValue={question?.text ?? ""}
          maxLength={1024}
          className={`${control} w-72 max-w-full flex-1 sm:flex-none`}
          data-testid="directory-text"
        />
        <select name="state" aria-label="In state" defaultValue={question?.state ?? ""} className={control}>
          <option value="">Any state</option>
          {taskStateNames.map((state) => (
            <option key={state} value={state}>
              {stateLooks[state].label}
            </option>
          ))}
        </select>
        {admin ? (
          <label className="flex items-center gap-1.5 px-1">
            <input type="checkbox" name="all" value="1" defaultChecked={question?.all ?? false} /> Everybody's runs
          </label>
        ) : null}
        <Button rank="primary" type="submit">
          <Search size={15} aria-hidden="true" /> Search
        </Button>
      </form>
    </search>
  );
}
