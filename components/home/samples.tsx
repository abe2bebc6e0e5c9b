"use client";
/** The samples: each with its graph, one sentence, and one click to run it. */
import { useMutation } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useRouter } from "next/navigation";
import { useMemo } from "react";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { graphModel } from "@/components/graph/graph-model";
import { Thumbnail } from "@/components/graph/thumbnail";
import { Button } from "@/components/ui/button";
import { counted } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { checkWorkflow } from "@/core/workflow/check";
import type { SampleView } from "@/server/api/views";

export function Samples({ samples, cannotRun }: { samples: SampleView[]; cannotRun?: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const start = useMutation(trpc.samples.start.mutationOptions({ onSuccess: (run) => router.push(`/runs/${run.id}`) }));
  return (
    <>
      {start.error ? <Notice kind="danger">{errorSentence(start.error)}</Notice> : null}
      <ul className="grid border-y max-md:divide-y md:grid-cols-3 md:divide-x">
        {samples.map((sample) => (
          <li key={sample.id} className="flex flex-col gap-2 py-3 md:px-5 md:first:pl-0 md:last:pr-0">
            <div className="flex items-start justify-between gap-3">
              <div>
                <h3 className="font-medium">{sample.title}</h3>
                <p className="num text-[0.83rem] text-muted">{counted(sample.tasks, "task")}</p>
              </div>
              <SampleDrawing source={sample.source} />
            </div>
            <p className="flex-1 text-[0.92rem] text-muted">{sample.description}</p>
            {/* A form, because React keeps a submit that comes before the page has come to life. */}
            <form action={() => start.mutate({ sampleId: sample.id })}>
              <Button
                type="submit"
                disabled={start.isPending || start.isSuccess || cannotRun !== undefined}
                busy={(start.isPending || start.isSuccess) && start.variables.sampleId === sample.id}
                title={cannotRun}
                data-testid={`sample-${sample.id}`}
              >
                <Play size={13} aria-hidden="true" /> Run
                <span className="sr-only"> {sample.title}</span>
              </Button>
            </form>
          </li>
        ))}
      </ul>
    </>
  );
}

function SampleDrawing({ source }: { source: string }) {
  const model = useMemo(() => {
    const { workflow } = checkWorkflow(source);
    return workflow && workflow.taskCount > 0 ? graphModel(workflow) : undefined;
  }, [source]);
  return model ? <Thumbnail model={model} /> : null;
}
