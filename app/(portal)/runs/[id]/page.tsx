import type { Metadata } from "next";
import { RunView } from "@/components/run-view/run-view";
import { api, orNotFound, requireMe } from "../../../session";

export const metadata: Metadata = { title: "Run" };

export default async function RunPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  await requireMe(`/runs/${id}`);
  const caller = await api();
  const [run, graph, snapshot] = await orNotFound(
    Promise.all([caller.runs.get({ id }), caller.runs.graph({ id }), caller.runs.states({ id })]),
  );
  return <RunView key={id} initial={run} graph={graph} snapshot={snapshot} />;
}
