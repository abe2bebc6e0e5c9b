"use client";
/** The workflow in another format, or as it is, as a file. What the other format cannot hold is told before. */
import { ChevronDown, Download, TriangleAlert } from "lucide-react";
import { AlertDialog, DropdownMenu } from "radix-ui";
import { useState } from "react";
import { Button, buttonClass } from "@/components/ui/button";
import { counted } from "@/components/ui/format";
import { type Target, targets } from "@/core/languages/convert";
import { hasErrors, type Problem } from "@/core/problem";
import type { Description } from "./description";
import { asItIs, type Bundle, converted, fileOf } from "./download-bundle";
import type { Checked } from "./use-checked-workflow";

const shown = 50;

interface Pending {
  title: string;
  bundle: Bundle;
  problems: Problem[];
}

export function DownloadMenu({ name, checked }: { name: string; checked: Checked }) {
  const [pending, setPending] = useState<Pending>();
  const { description, application, problems, format } = checked;
  const unreadable = hasErrors(problems.filter(({ code }) => code !== "workflow/not-yet-run"));

  function convert(target: Target) {
    if (!application) return;
    const { bundle, problems: lost } = converted(target, application, name);
    if (lost.length === 0) save(bundle);
    else setPending({ title: target.title, bundle, problems: lost });
  }

  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button disabled={description.text.trim() === ""} data-testid="download-as">
            <Download size={15} aria-hidden="true" /> Download as <ChevronDown size={13} aria-hidden="true" />
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="end"
            sideOffset={6}
            className="z-50 min-w-56 rounded-md border border-rule-strong bg-surface py-1 text-[0.92rem]"
          >
            <Item onSelect={() => save(asItIs(description, name, format?.name))} testId="download-original">
              As it is <span className="text-muted">{filesOf(description)}</span>
            </Item>
            <DropdownMenu.Separator className="my-1 border-t" />
            {targets.map((target) => (
              <Item
                key={target.name}
                disabled={unreadable || !application}
                onSelect={() => convert(target)}
                testId={`download-${target.name}`}
              >
                {target.title} <span className="text-muted">{target.ending}</span>
              </Item>
            ))}
            {unreadable ? (
              <p className="max-w-56 px-3 py-1.5 text-[0.85rem] text-muted">
                A workflow with errors cannot be converted.
              </p>
            ) : null}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Losses pending={pending} onClose={() => setPending(undefined)} />
    </>
  );
}

function Item({
  disabled,
  onSelect,
  testId,
  children,
}: {
  disabled?: boolean;
  onSelect: () => void;
  testId: string;
  children: React.ReactNode;
}) {
  return (
    <DropdownMenu.Item
      disabled={disabled}
      onSelect={onSelect}
      data-testid={testId}
      className="flex items-center justify-between gap-4 px-3 py-1.5 outline-none data-[disabled]:text-faint data-[highlighted]:bg-sunken"
    >
      {children}
    </DropdownMenu.Item>
  );
}

function Losses({ pending, onClose }: { pending?: Pending; onClose: () => void }) {
  if (!pending) return null;
  const { title, bundle, problems } = pending;
  const impossible = hasErrors(problems);
  return (
    <AlertDialog.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <AlertDialog.Content
          className="fixed left-1/2 top-[12vh] z-50 grid max-h-[76vh] w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 gap-3 overflow-y-auto rounded-md border border-rule-strong bg-surface p-5"
          data-testid="download-losses"
        >
          <AlertDialog.Title asChild>
            <h2 className="text-[1.05rem]">
              {impossible ? `This workflow cannot be written as ${title}` : `${title} cannot hold everything`}
            </h2>
          </AlertDialog.Title>
          <AlertDialog.Description className="text-muted">
            {impossible ? "What stands in the way:" : `${counted(problems.length, "thing")} will not be in the file:`}
          </AlertDialog.Description>
          <ul className="border text-[0.92rem]">
            {problems.slice(0, shown).map((problem) => (
              <li
                key={`${problem.code} ${problem.task} ${problem.message}`}
                className="flex gap-2 border-b border-rule/60 px-3 py-1.5 last:border-b-0"
              >
                <TriangleAlert size={15} className="mt-[3px] shrink-0 text-caution" aria-hidden="true" />
                <span className="min-w-0 break-words">{problem.message}</span>
              </li>
            ))}
            {problems.length > shown ? (
              <li className="px-3 py-1.5 text-muted">and {problems.length - shown} more</li>
            ) : null}
          </ul>
          <div className="mt-2 flex flex-wrap justify-end gap-2">
            <AlertDialog.Cancel className={buttonClass("plain")}>Go back</AlertDialog.Cancel>
            {impossible ? null : (
              <AlertDialog.Action
                className={buttonClass("primary")}
                onClick={() => save(bundle)}
                data-testid="download-anyway"
              >
                Download
              </AlertDialog.Action>
            )}
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

function filesOf({ companions }: Description): string {
  return companions.size === 0 ? "" : `${counted(companions.size + 1, "file")}, zip`;
}

function save(bundle: Bundle): void {
  const { name, content } = fileOf(bundle);
  const address = URL.createObjectURL(new Blob([content]));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has its own hold on the content once it has begun.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
