import type { Metadata } from "next";
import { RunView } from "@/components/run-view/run-view";
import { api, orNotFound, requireMe } from "../../../session";

export const metadata: Metadata = { title: "Run" };

export default async function RunPage({
  params,
  searchParams,
}: {
  params: Promise<{ id: string }>;
  searchParams: Promise<{ task?: string }>;
}) {
  const { id } = await params;
  const { task } = await searchParams;
  await requireMe(`/runs/${id}`);
  const caller = await api();
  const [run, graph, snapshot] = await orNotFound(
    Promise.all([caller.runs.get({ id }), caller.runs.graph({ id }), caller.runs.states({ id })]),
  );
  const named = /^\d{1,9}$/.test(task ?? "") ? Number(task) : undefined;
  return <RunView key={id} initial={run} graph={graph} snapshot={snapshot} openTask={named} />;
}
