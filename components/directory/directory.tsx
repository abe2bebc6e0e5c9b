"use client";
/** The monitoring directory: every task of one's runs, found by name, file, machine, run and state. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { Button } from "@/components/ui/button";
import { counted } from "@/components/ui/format";
import { Empty, Notice } from "@/components/ui/notice";
import { askedOf, type Question } from "./question";
import { Results } from "./results";
import { SearchForm } from "./search-form";

export function Directory({ question, admin }: { question: Question | undefined; admin: boolean }) {
  return (
    <div className="grid gap-4">
      <SearchForm question={question} admin={admin} />
      {question ? (
        <Answer question={{ ...question, all: question.all && admin }} />
      ) : (
        <Empty>
          Look for a task by its name or number, for a file to see which task makes it and which read it, for a machine
          to see what ran there, or for a run.
        </Empty>
      )}
    </div>
  );
}

function Answer({ question }: { question: Question }) {
  const trpc = useTRPC();
  const paging = { getNextPageParam: (page: { nextCursor: string | null }) => page.nextCursor };
  const asked = askedOf(question);
  const own = useInfiniteQuery(
    trpc.directory.search.infiniteQueryOptions(asked, { ...paging, enabled: !question.all }),
  );
  const all = useInfiniteQuery(
    trpc.directory.searchAll.infiniteQueryOptions(asked, { ...paging, enabled: question.all }),
  );
  const answer = question.all ? all : own;
  if (answer.error) return <Notice kind="danger">{errorSentence(answer.error)}</Notice>;
  if (!answer.data) return <p className="text-muted">Searching…</p>;
  const items = answer.data.pages.flatMap((page) => page.items);
  const runs = answer.data.pages.reduce((sum, page) => sum + page.runs, 0);
  return (
    <div className="grid gap-3">
      <p className="num text-[0.9rem] text-muted" role="status" data-testid="directory-count">
        {items.length === 0
          ? `Nothing found in ${counted(runs, "run")}${answer.hasNextPage ? " so far" : ""}.`
          : `${counted(items.length, "task")}${answer.hasNextPage ? " so far" : ""}.`}
      </p>
      {items.length > 0 ? <Results entries={items} byFile={question.by === "file"} everybody={question.all} /> : null}
      {answer.hasNextPage ? (
        <Button
          className="justify-self-start"
          onClick={() => void answer.fetchNextPage()}
          busy={answer.isFetchingNextPage}
          data-testid="directory-more"
        >
          {items.length > 0 ? "Show more" : "Search older runs"}
        </Button>
      ) : null}
    </div>
  );
}
